"""System settings that are changed for a moment and put back whatever happens."""

import contextlib
import os
import pathlib
import select
import signal

FOLDER = pathlib.Path("/proc/sys/vm")
# The mode first, so that the others matter no more. A ratio that is written sets the kilobytes to 0 and the other way
# round, so only the one in use is put back.
NAMES = ("overcommit_memory", "overcommit_ratio", "overcommit_kbytes")
MOST_SECONDS = 60


class Refused(Exception):
    """The settings cannot be changed here; it says why."""


def read(name):
    return (FOLDER / name).read_text(encoding="ascii").strip()


def write(name, value):
    # One write: a refused one must not be tried again when the file is closed.
    file = os.open(FOLDER / name, os.O_WRONLY)
    try:
        os.write(file, str(value).encode())
    finally:
        os.close(file)


def restore(before):
    for name in NAMES:
        if name != "overcommit_memory" and before[name] == "0":
            continue
        with contextlib.suppress(OSError):
            write(name, before[name])


def watch(before, ends):
    """A process that restores the settings when its parent has gone, or has taken too long."""
    child = os.fork()
    if child == 0:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        os.close(ends[1])
        ready, _, _ = select.select([ends[0]], [], [], MOST_SECONDS)
        if not ready or os.read(ends[0], 1) != b"x":
            restore(before)
        os._exit(0)
    os.close(ends[0])
    return child


def interrupt(number, _):
    raise SystemExit(128 + number)


@contextlib.contextmanager
def strict_overcommit(**settings):
    """The system under strict overcommit, for less than a minute."""
    before = {name: read(name) for name in NAMES}
    handlers = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    ends = os.pipe()
    watcher = watch(before, ends)
    try:
        try:
            for name, value in {**settings, "overcommit_memory": 2}.items():
                write(name, value)
        except OSError as error:
            raise Refused(f"{FOLDER}/{error.filename or ''}: {error.strerror}") from None
        yield
    finally:
        restore(before)
        os.write(ends[1], b"x")
        os.close(ends[1])
        os.waitpid(watcher, 0)
        for number, handler in handlers.items():
            signal.signal(number, handler)


def committed():
    """Bytes that all processes have committed together."""
    for line in pathlib.Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("Committed_AS:"):
            return int(line.split()[1]) << 10
    raise Refused("/proc/meminfo does not say what is committed")


def room_of(megabytes):
    """Under strict overcommit with so much left to commit."""
    return strict_overcommit(overcommit_kbytes=(committed() >> 10) + megabytes * 1024)


def reason_against():
    """Why the settings cannot be changed, or None."""
    if os.geteuid() != 0:
        return "it changes settings of the whole system, and needs root"
    if not os.access(FOLDER / "overcommit_memory", os.W_OK):
        return f"{FOLDER}/overcommit_memory may not be written to"
    try:
        write("overcommit_memory", read("overcommit_memory"))
    except OSError as error:
        return f"{FOLDER}/overcommit_memory: {error.strerror}"
    return None
