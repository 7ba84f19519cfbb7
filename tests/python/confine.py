"""Confines a program that is about to start. Run between fork and exec, so that the rest of the machine is left alone.

Where the machine does not allow it, `reason_against` says why, in words for a skipped test.
"""

import ctypes
import errno
import os
import pathlib
import platform
import resource
import struct
import subprocess
import tempfile

MEGABYTE = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    """A C library function that returns 0 when all was well."""
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def reason_against(confine):
    """None when a program can be confined so."""
    try:
        subprocess.run(["true"], preexec_fn=confine, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return None


# ---- Reservations that the system refuses ----

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO = 0x7FFF0000, 0x00050000
LOAD, JUMP_EQUAL, JUMP_ABOVE, RETURN = 0x20, 0x15, 0x25, 0x06
MMAP = {"x86_64": 9, "aarch64": 222}
NUMBER, LENGTH_LOW, LENGTH_HIGH, ACCESS = 0, 24, 28, 32  # where they stand in what a filter is shown


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


def refuse_reservations(above):
    """From now on a mapping of more than so many bytes, less than 4 GB, that nobody may touch yet is refused."""
    number = MMAP.get(platform.machine())
    if number is None:
        raise OSError(errno.ENOSYS, f"no filter for {platform.machine()}")
    code = [
        (LOAD, 0, 0, NUMBER),
        (JUMP_EQUAL, 0, 6, number),
        (LOAD, 0, 0, ACCESS),
        (JUMP_EQUAL, 0, 4, 0),
        (LOAD, 0, 0, LENGTH_HIGH),
        (JUMP_ABOVE, 3, 0, 0),
        (LOAD, 0, 0, LENGTH_LOW),
        (JUMP_ABOVE, 1, 0, above),
        (RETURN, 0, 0, SECCOMP_RET_ALLOW),
        (RETURN, 0, 0, SECCOMP_RET_ERRNO | errno.ENOMEM),
    ]
    packed = b"".join(struct.pack("HBBI", *step) for step in code)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    program = Filter(len(code), ctypes.addressof(buffer))
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)


# ---- Strict overcommit ----

CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x00020000, 4096, 16384, 1 << 18
OVERCOMMIT = b"/proc/sys/vm/overcommit_memory"


def count_commit(megabytes):
    """
    What a program meets under vm.overcommit_memory=2 on a machine that has so much left, without setting it for all:
    private writable memory counts whether it is touched or not, as it does for RLIMIT_DATA, and the setting reads 2, in
    mounts of this process's own.
    """
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"2\n")
        file.flush()
        call("mount", file.name.encode(), OVERCOMMIT, None, MS_BIND, None)
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, megabytes * MEGABYTE))


# ---- Small control groups ----


class Group:
    """A control group with so much memory, for one program after the other; `remove` when they have ended."""

    def __init__(self, megabytes):
        self.folder = None
        mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
        for _, place, kind, options, *_ in mounts:
            root = pathlib.Path(place)
            if kind == "cgroup" and "memory" in options.split(","):
                names = "memory.limit_in_bytes", "memory.max_usage_in_bytes"
            elif kind == "cgroup2" and "memory" in (root / "cgroup.subtree_control").read_text().split():
                names = "memory.max", "memory.peak"
            else:
                continue
            folder = root / f"cubby-test-{os.getpid()}"
            folder.mkdir()
            self.folder = folder
            self.limit, self.peak = (folder / name for name in names)
            self.limit.write_text(str(megabytes * MEGABYTE))
            return
        raise OSError(errno.ENOENT, "no control group for memory is mounted")

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        if self.folder is not None:
            self.folder.rmdir()
