/* SPDX-License-Identifier: MIT */
/*
 * A program that limits its own address space counts on using hardly any: Cubby's reservation would leave it nothing
 * for its next library or thread. So the calls that limit it pass through here, and the reservation is cut down first.
 */
#define _GNU_SOURCE
#include <cubby/cubby.h>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Under the C library's own name, whatever its headers make of it. */
#define INTERPOSED(name) __asm__(name) __attribute__((visibility("default")))

int limit_set(int resource, const struct rlimit *limit) INTERPOSED("setrlimit");
int limit_set_64(int resource, const struct rlimit *limit) INTERPOSED("setrlimit64");
int limit_exchange(pid_t pid, int resource, const struct rlimit *limit, struct rlimit *old) INTERPOSED("prlimit");
int limit_exchange_64(pid_t pid, int resource, const struct rlimit *limit, struct rlimit *old) INTERPOSED("prlimit64");

int limit_exchange(pid_t pid, int resource, const struct rlimit *limit, struct rlimit *old)
{
    if (resource == RLIMIT_AS && limit != NULL && limit->rlim_cur != RLIM_INFINITY && (pid == 0 || pid == getpid())) {
        cubby_addresses_release();
    }
    return (int)syscall(SYS_prlimit64, pid, resource, limit, old);
}

/* On 64-bit machines the plain and the 64-bit calls and structures are the same. */
_Static_assert(sizeof(struct rlimit) == 16, "one structure serves both names");

int limit_exchange_64(pid_t pid, int resource, const struct rlimit *limit, struct rlimit *old)
{
    return limit_exchange(pid, resource, limit, old);
}

int limit_set(int resource, const struct rlimit *limit)
{
    return limit_exchange(0, resource, limit, NULL);
}

int limit_set_64(int resource, const struct rlimit *limit)
{
    return limit_exchange(0, resource, limit, NULL);
}
