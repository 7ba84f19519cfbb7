"""Starts programs, with Cubby's adapter preloaded or without it, in an environment that holds nothing unexpected."""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
PROBE = HERE / "probe.py"

# The interpreter under test is the one that runs the tests; `python3` means it, too.
PYTHON = sys.executable
LIBRARY = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None

# The kinds of owner that the adapter can give blocks to, as CUBBY_HEAPS has them.
HEAPS = ("lock", "thread")

# What the probe prints.
SERVED = "raw=stock mem=cubby obj=cubby"
CHECKED = "raw=cubby mem=cubby obj=cubby"
STOCK = "raw=stock mem=stock obj=stock"

# A program that hangs is stopped at last; no test is about how long anything takes.
PATIENCE = 240

KEPT = ("HOME", "TMPDIR", "UBSAN_OPTIONS")


def is_sanitized():
    return b"libasan" in LIBRARY.read_bytes()


def environment(preload=True, **variables):
    """What a program gets: a variable that is None is left out."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    kept["PATH"] = os.path.dirname(PYTHON) + ":" + os.environ.get("PATH", "/usr/bin:/bin")
    kept["LC_ALL"] = "C.UTF-8"
    # An interpreter leaves its own objects to the end of the process; they are no leaks of Cubby's.
    kept["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "verify_asan_link_order=0") + ":detect_leaks=0"
    if preload:
        kept["LD_PRELOAD"] = str(LIBRARY)
    kept.update(variables)
    return {name: str(value) for name, value in kept.items() if value is not None}


class Ran:
    """What became of a program. status is negative for a signal, as subprocess has it."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err

    def __eq__(self, other):
        return (self.status, self.out, self.err) == (other.status, other.out, other.err)

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.out[-2000:]}\n--- stderr\n{self.err[-4000:]}"


def run(command, preload=True, variables=None, patience=None, **options):
    """What became of a command. One that does not end in time raises subprocess.TimeoutExpired."""
    ran = subprocess.run(
        [str(word) for word in command],
        env=environment(preload, **(variables or {})),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        timeout=patience or PATIENCE,
        check=False,
        **({"stdin": subprocess.DEVNULL} if "input" not in options else {}),
        **options,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def python(*arguments, **options):
    return run([PYTHON, *arguments], **options)


def probe(*command, **options):
    """Who serves the domains of the interpreter that `command` starts with the probe's path added."""
    return run([*command, PROBE], **options)


class PreloadTestCase(unittest.TestCase):
    maxDiff = None

    def assertRan(self, ran, out=None, err="", status=0):
        """The program ended with status and said what it should; an error shows everything."""
        if ran.status != status or (out is not None and ran.out.strip() != out) or ran.err.strip() != err:
            self.fail(f"expected status {status}, stdout {out!r}, stderr {err!r}, but got {ran!r}")

    def assertServed(self, ran):
        self.assertRan(ran, SERVED)

    def program(self, name, *arguments, out="right", **options):
        """A program of programs/, which checks itself and says `right` when all was."""
        self.assertRan(python(PROGRAMS / f"{name}.py", *arguments, **options), out)

    def programOnEachHeap(self, name, *arguments, variables=None, **options):
        """The same program with heaps that belong to the interpreter's lock and with those that belong to threads."""
        for heaps in HEAPS:
            with self.subTest(program=name, heaps=heaps):
                self.program(name, *arguments, variables={**(variables or {}), "CUBBY_HEAPS": heaps}, **options)

    def unlessSanitized(self, reason):
        if is_sanitized():
            self.skipTest(f"under AddressSanitizer {reason}")
