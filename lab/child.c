/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/child.h"

#include "lab/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often it is looked whether a child has run for too long. */
#define WAIT_SECONDS 0.5

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* The forked half: becomes the program, or says on stderr why not. It dies with its parent. */
static _Noreturn void child_become(const child_spec_t *spec, pid_t parent, int output, int complaint)
{
    dup2(output, STDOUT_FILENO);
    dup2(complaint, STDERR_FILENO);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(127);
    }
    if (spec->core != CHILD_ANY_CORE) {
        cpu_set_t cores;
        CPU_ZERO(&cores);
        CPU_SET((size_t)spec->core, &cores);
        if (sched_setaffinity(0, sizeof cores, &cores) != 0) {
            dprintf(STDERR_FILENO, "cannot be pinned to core %d: %s\n", spec->core, strerror(errno));
            _exit(126);
        }
    }
    sigprocmask(SIG_SETMASK, interrupt_mask(), NULL);
    execve(spec->arguments[0], (char *const *)spec->arguments, (char *const *)spec->environment);
    dprintf(STDERR_FILENO, "%s cannot be started: %s\n", spec->arguments[0], strerror(errno));
    _exit(127);
}

static void pipe_close(const int ends[2])
{
    int saved = errno;
    close(ends[0]);
    close(ends[1]);
    errno = saved;
}

bool child_start(child_t *child, const child_spec_t *spec)
{
    int output[2], complaint[2];
    child->pid = 0;
    if (pipe2(output, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(complaint, O_CLOEXEC) != 0) {
        pipe_close(output);
        return false;
    }
    pid_t parent = getpid();
    clock_gettime(CLOCK_MONOTONIC, &child->started);
    pid_t pid = fork();
    if (pid < 0) {
        pipe_close(output);
        pipe_close(complaint);
        return false;
    }
    if (pid == 0) {
        child_become(spec, parent, output[1], complaint[1]);
    }
    close(output[1]);
    close(complaint[1]);
    child->pid = pid;
    child->timeout = spec->timeout;
    child->resident = spec->resident;
    if (child->resident != NULL) {
        resident_begin(child->resident);
    }
    child->timed_out = false;
    child->output.pipe = output[0];
    child->complaint.pipe = complaint[0];
    child->output.length = child->complaint.length = 0;
    child->output.text[0] = child->complaint.text[0] = '\0';
    return true;
}

/* Reads what is there; closes the pipe at its end. */
static void text_read(child_text_t *text)
{
    char dropped[4096];
    size_t room = CHILD_TEXT_MAX - text->length;
    ssize_t got =
        room > 0 ? read(text->pipe, text->text + text->length, room) : read(text->pipe, dropped, sizeof dropped);
    if (got < 0 && errno == EINTR) {
        return;
    }
    if (got <= 0) {
        close(text->pipe);
        text->pipe = -1;
        return;
    }
    if (room > 0) {
        text->length += (size_t)got;
        text->text[text->length] = '\0';
    }
}

/* Waits for a process whose pipes have ended. */
static void child_reap(child_t *child)
{
    while (waitpid(child->pid, &child->status, 0) < 0 && errno == EINTR) {
    }
    child->seconds = seconds_since(&child->started);
    child->pid = 0;
}

/* Kills a child and lets go of its pipes, which a grandchild may still hold open. */
static void child_end(child_t *child)
{
    kill(child->pid, SIGKILL);
    child_text_t *texts[] = {&child->output, &child->complaint};
    for (size_t i = 0; i < 2; i++) {
        if (texts[i]->pipe >= 0) {
            close(texts[i]->pipe);
            texts[i]->pipe = -1;
        }
    }
    child_reap(child);
}

/* One turn: waits for output of the running children, and takes it. False when none came in that time. */
static bool children_poll(child_t *children, size_t count, const struct timespec *longest)
{
    enum { PIPES_MAX = 64 };
    struct pollfd pipes[PIPES_MAX];
    child_text_t *texts[PIPES_MAX];
    nfds_t used = 0;
    for (size_t i = 0; i < count && used + 2 <= PIPES_MAX; i++) {
        child_text_t *both[] = {&children[i].output, &children[i].complaint};
        for (size_t j = 0; j < 2; j++) {
            if (children[i].pid == 0 || both[j]->pipe < 0) {
                continue;
            }
            pipes[used] = (struct pollfd){.fd = both[j]->pipe, .events = POLLIN};
            texts[used++] = both[j];
        }
    }
    int ready = ppoll(pipes, used, longest, interrupt_mask());
    if (ready <= 0) {
        return ready < 0;
    }
    for (nfds_t i = 0; i < used; i++) {
        if (pipes[i].revents != 0) {
            text_read(texts[i]);
        }
    }
    return true;
}

/* Looks at the sizes that are followed, and says how long to wait before the next look. */
static double children_look(const child_t *children, size_t count)
{
    double pause = WAIT_SECONDS;
    for (size_t i = 0; i < count; i++) {
        if (children[i].pid != 0 && children[i].resident != NULL) {
            resident_look(children[i].resident, children[i].pid, seconds_since(&children[i].started));
            pause = RESIDENT_STEP_SECONDS;
        }
    }
    return pause;
}

int children_wait(child_t *children, size_t count)
{
    int ended;
    do {
        ended = children_wait_for(children, count, children_look(children, count));
    } while (ended == CHILD_NONE);
    return ended;
}

int children_wait_for(child_t *children, size_t count, double seconds)
{
    const struct timespec longest = {.tv_nsec = (long)(seconds * 1e9)};
    for (;;) {
        bool came = children_poll(children, count, &longest);
        if (interrupt_signal() != 0) {
            children_kill(children, count);
            return CHILD_INTERRUPTED;
        }
        for (size_t i = 0; i < count; i++) {
            child_t *child = &children[i];
            if (child->pid == 0) {
                continue;
            }
            if (child->output.pipe < 0 && child->complaint.pipe < 0) {
                child_reap(child);
                return (int)i;
            }
            if (seconds_since(&child->started) > child->timeout) {
                child->timed_out = true;
                child_end(child);
                return (int)i;
            }
        }
        if (!came) {
            return CHILD_NONE;
        }
    }
}

void children_kill(child_t *children, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (children[i].pid != 0) {
            child_end(&children[i]);
        }
    }
}

/* The last line that is not empty: of a traceback, the one that says what happened. */
static void last_line_copy(const char *text, char *line, size_t size)
{
    size_t end = strlen(text);
    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' ')) {
        end--;
    }
    size_t start = end;
    while (start > 0 && text[start - 1] != '\n') {
        start--;
    }
    snprintf(line, size, "%.*s", (int)(end - start), text + start);
}

bool child_succeeded(const child_t *child, char *reason, size_t size)
{
    char said[160];
    last_line_copy(child->complaint.text, said, sizeof said);
    const char *colon = said[0] != '\0' ? ": " : "";
    if (child->timed_out) {
        snprintf(reason, size, "did not end within %.0f seconds%s%s", child->timeout, colon, said);
        return false;
    }
    if (WIFSIGNALED(child->status)) {
        const char *name = strsignal(WTERMSIG(child->status));
        snprintf(reason, size, "was ended by a signal (%s)%s%s", name != NULL ? name : "unknown", colon, said);
        return false;
    }
    if (WEXITSTATUS(child->status) != 0) {
        snprintf(reason, size, "ended with status %d%s%s", WEXITSTATUS(child->status), colon, said);
        return false;
    }
    if (said[0] != '\0') {
        snprintf(reason, size, "complained: %s", said);
        return false;
    }
    return true;
}
