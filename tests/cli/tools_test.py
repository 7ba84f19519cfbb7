# SPDX-License-Identifier: MIT
"""Python on Cubby under tools that watch programs: tools_test.py CUBBY [sanitized]. Prints TAP.

A tool that is not there, or that this system does not let run, is a skip that says so.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
SANITIZED = "sanitized" in sys.argv[2:]

# Right only when Cubby serves it: there is no such function elsewhere, and it has given something back.
PROGRAM = """
import ctypes, gc, sys
trim = ctypes.PyDLL(None).cubby_python_trim
trim.restype = ctypes.c_size_t
words = [str(number) * 3 for number in range(30000)]
print(len(words), sum(map(len, words)))
table = {word: [word, float(len(word))] for word in words}
print(len(table), bytes(5000000).count(0))
del words, table
gc.collect()
print(trim() > 0)
"""
ANSWER = "30000 416670\n30000 5000000\nTrue\n"
PARENT = f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {PROGRAM!r}]).returncode)"


def run(*command):
    environment = {"PATH": os.environ["PATH"], "HOME": "/", "LANG": "C.UTF-8", "DEBUGINFOD_URLS": ""}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, cwd=FOLDER)


def python_on_cubby(program):
    return [CUBBY, "run", "--", sys.executable, "-c", program]


def reason_to_skip(*tool):
    """Why a tool cannot watch even `true`, or None."""
    if SANITIZED:
        return "the sanitizers of this build do not work under it"
    if shutil.which(tool[0]) is None:
        return f"{tool[0]} is not installed"
    result = run(*tool, "true")
    return None if result.returncode == 0 else f"{tool[0]} cannot run here: {result.stderr.strip().splitlines()[-1:]}"


def expect(result, answer=ANSWER):
    assert result.returncode == 0 and result.stdout == answer, (
        f"status {result.returncode}: {result.stdout!r}: {result.stderr[-3000:]}"
    )


# Writes behind a block, as a faulty extension does.
MISUSE = """
import ctypes
api = ctypes.pythonapi
api.PyMem_Malloc.restype = ctypes.c_void_p
block = api.PyMem_Malloc(ctypes.c_size_t(40))
ctypes.memset(block + 40, 65, 1)
api.PyMem_Free(ctypes.c_void_p(block))
print("not noticed")
"""
REPORT = "cubby: debug: write after the block\n  noticed    in free"


def debug_checks_work_under(*tool, way=("--debug",)):
    skipped = reason_to_skip(*tool) if tool else SANITIZED and "the sanitizers of this build stop it first"
    if not skipped:
        # A program that is aborted on purpose leaves no file behind.
        cubby = [CUBBY, "run", *way, "--", sys.executable, "-c", MISUSE]
        result = run("sh", "-c", 'ulimit -c 0; exec "$0" "$@"', *tool, *cubby)
        output = result.stdout + result.stderr
        assert output.count(REPORT) == 1 and "not noticed" not in output.splitlines(), output
    return skipped or None


@test
def debug_checks_find_misuse_under_gdb():
    return debug_checks_work_under("gdb", "-nx", "-batch", "-ex", "run", "--args")


@test
def debug_checks_find_misuse_under_strace():
    return debug_checks_work_under("strace", "-f", "-o", "/dev/null")


@test
def debug_checks_find_misuse_under_valgrind():
    return debug_checks_work_under("valgrind", "--trace-children=yes")


@test
def debug_checks_find_misuse_under_perf():
    return debug_checks_work_under("perf", "stat", "-e", "task-clock")


@test
def debug_checks_find_misuse_in_the_guarded_adapter():
    return debug_checks_work_under(way=("--debug", "--guard"))


@test
def a_program_and_its_child_run_under_strace():
    skipped = reason_to_skip("strace", "-f", "-o", "/dev/null")
    if skipped is None:
        expect(run("strace", "-f", "-o", "calls", *python_on_cubby(PARENT)))
        with open(os.path.join(FOLDER, "calls"), encoding="utf-8", errors="replace") as calls:
            reserving = re.findall(r"^(\d+) +mmap\(NULL, \d{9,}, PROT_NONE", calls.read(), re.MULTILINE)
        assert len(set(reserving)) >= 2, f"Cubby reserved in {reserving} only"
    return skipped


@test
def gdb_stops_in_the_library_and_shows_how_the_program_came_there():
    skipped = reason_to_skip("gdb", "-nx", "-batch", "-ex", "run", "--args")
    if skipped is None:
        # The adapter is not loaded when gdb starts; inside it, on to a function that the command has, too.
        commands = ["set breakpoint pending on", "break cubby_python_trim", "run"]
        commands += ["break span_trim", "continue", "backtrace", "delete", "continue"]
        options = [word for command in commands for word in ("-ex", command)]
        result = run("gdb", "-nx", "-batch", *options, "--args", *python_on_cubby(PROGRAM))
        frames = re.findall(r"^#\d+ .*", result.stdout, re.MULTILINE)
        assert len(frames) > 4, result.stdout + result.stderr
        assert re.search(r"span_trim \(.*span/purge\.c:\d+", frames[0]), frames
        assert re.search(r"cubby_heap_trim \(heap=0x\w+\) at .*heap/heap\.c:\d+", frames[1]), frames
        assert any("Py_RunMain" in frame for frame in frames), frames
        assert all(line in result.stdout for line in ANSWER.splitlines()), result.stdout
        assert "exited normally" in result.stdout, result.stdout
    return skipped


@test
def memcheck_finds_nothing_wrong_with_a_program_and_its_child():
    skipped = reason_to_skip("valgrind")
    if skipped is None:
        result = run("valgrind", "--trace-children=yes", "--error-exitcode=99", *python_on_cubby(PARENT))
        expect(result)
        # The command became the program, which started its child.
        assert result.stderr.count("ERROR SUMMARY: 0 errors") == 2, result.stderr
    return skipped


@test
def perf_counts_and_samples_a_program():
    skipped = reason_to_skip("perf", "stat", "-e", "task-clock")
    if skipped is None:
        result = run("perf", "stat", "-e", "task-clock,page-faults", *python_on_cubby(PROGRAM))
        expect(result)
        assert re.search(r"\d.* page-faults", result.stderr), result.stderr
        busy = "for _ in range(60): x = [[number] for number in range(30000)]"
        result = run("perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", "samples", *python_on_cubby(busy))
        expect(result, "")
        report = run("perf", "report", "-i", "samples", "--stdio", "--sort", "dso,symbol")
        assert re.search(r"libcubby-python\.so +\[\.\] +\w+", report.stdout), report.stdout[:3000] + report.stderr
    return skipped


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        status = main()
    sys.exit(status)
