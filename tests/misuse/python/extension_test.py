"""What an extension of the real python3 does wrong is reported, with the Python line that called it.

    extension_test.py ADAPTER EXTENSION

Each misuse is tried with a small, a medium and a large block, with each way of asking for debug checks, and without
any, where it may do what it likes but must not mention them. Prints TAP.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

PYTHON = sys.executable
SIZES = {"small": 40, "medium": 5000, "large": 100000}
WAYS = {
    "CUBBY_DEBUG=1": ({"CUBBY_DEBUG": "1"}, []),
    "PYTHONMALLOC=debug": ({"PYTHONMALLOC": "debug"}, []),
    "PYTHONMALLOC=pymalloc_debug": ({"PYTHONMALLOC": "pymalloc_debug"}, []),
    "-X dev": ({}, ["-X", "dev"]),
    "PYTHONDEVMODE=1": ({"PYTHONDEVMODE": "1"}, []),
}

EXPECTED = {
    "free_foreign": "the pointer is not a block of Cubby's",
    "free_foreign_obj": "the pointer is not a block of Cubby's",
    "free_interior": r"the pointer is not the start of a block: it points 8 bytes from the start of one",
    "free_twice": "the block was freed before",
    "lock_not_held": r"the lock that goes with domain mem, heap 0x\w+, is not held",
    "realloc_foreign": "the pointer is not a block of Cubby's",
    "realloc_freed": "the block was freed before",
    "write_after": "write after the block",
    "write_after_raw": "write after the block",
    "write_before": "write before the block",
    "write_freed": "write to a freed block",
    "write_stale": "write to a freed block",
    "wrong_domain": "wrong domain: a block of domain mem is used as one of domain obj",
    "wrong_domain_raw": "wrong domain: a block of domain obj is used as one of domain raw",
}
# Noticed at the end of the program, or in a thread that runs no Python.
WITHOUT_LINE = ("write_freed", "write_stale", "lock_not_held")


def python(adapter, arguments, variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("CUBBY_", "PYTHON"))}
    environment |= {"LD_PRELOAD": adapter, "LC_ALL": "C.UTF-8"} | variables
    command = ["sh", "-c", 'ulimit -c 0; exec "$0" "$@"', PYTHON, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)


def misuse_problems(adapter, script, extension, name, size, way):
    variables, options = WAYS[way]
    ran = python(adapter, [*options, script, extension, name, str(size)], variables)
    reports = [line.removeprefix("cubby: debug: ") for line in ran.stderr.splitlines() if line.startswith("cubby:")]
    if len(reports) != 1 or not re.fullmatch(EXPECTED[name], reports[0]):
        return [f"{way}: expected one report, {EXPECTED[name]!r}, got {ran}"]
    found = []
    if ran.returncode not in (-signal.SIGABRT, 128 + signal.SIGABRT):
        found.append(f"{way}: it was not aborted, but ended with {ran.returncode}")
    place = ran.stderr.partition("the runtime is at")[2]
    if name not in WITHOUT_LINE and f'File "{script}", line 4 in misuse' not in place:
        found.append(f"{way}: the Python line is missing in {ran.stderr}")
    return found


def unchecked_problems(adapter, script, extension, name, size):
    ran = python(adapter, [script, extension, name, str(size)], {})
    return [f"without checks: {ran}"] if "debug" in ran.stderr else []


def leak_problems(adapter, script, extension, size):
    """An interpreter ends with much alive; what a function left behind is named with it."""
    variables = {"CUBBY_DEBUG": "1", "CUBBY_DEBUG_STACKS": "4", "CUBBY_DEBUG_LEAKS": "1"}
    ran = python(adapter, [script, extension, "leak", str(size)], variables)
    count = (1 << 20) // size
    place = rf'{count * size} bytes in {count} blocks\n  allocated at\n +File "{re.escape(script)}", line 4 in misuse\n'
    found = [] if re.search(rf"{place} +leak\+0x", ran.stderr) else [f"nothing matches {place!r} in {ran}"]
    return found + ([] if ran.returncode == 0 else [f"a leak ended the program with {ran.returncode}"])


def late_problems(adapter, script, extension, size):
    """Where nothing is held back, a block is forgotten as soon as it was freed."""
    variables = {"CUBBY_DEBUG": "1", "CUBBY_DEBUG_HOLD": "0"}
    ran = python(adapter, [script, extension, "free_twice", str(size)], variables)
    text = "cubby: debug: no block is there: it was freed long ago, or never given out\n"
    return [] if ran.stderr.startswith(text) and ran.stderr.count("cubby:") == 1 else [f"not found in {ran}"]


def place_problems(adapter, script, extension):
    """With callers noted, a block's allocation has its Python line, too."""
    ran = python(adapter, [script, extension, "write_freed", "40"], {"CUBBY_DEBUG": "1", "CUBBY_DEBUG_STACKS": "4"})
    line = rf'File "{re.escape(script)}", line 4 in misuse\n +write_freed\+0x'
    places = re.findall(rf"  (allocated|freed) at\n +{line}", ran.stderr)
    return [] if places == ["allocated", "freed"] else [f"found {places} in {ran.stderr}"]


def clean_problems(adapter, way):
    """A program with threads, processes and much that ends late has nothing to be reported."""
    variables, options = WAYS[way]
    code = """
import asyncio, concurrent.futures, ctypes, decimal, json, multiprocessing, re, sqlite3, subprocess, sys, threading
import os
assert os.environ.get("PYTHONMALLOC") == (sys.argv[1] or None)
def work():
    return [json.loads(json.dumps({str(i): [i, float(i)] for i in range(500)})) for _ in range(20)]
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
if os.fork() == 0:
    work()
    os._exit(0)
assert os.wait()[1] == 0
assert subprocess.run([sys.executable, "-c", "pass"]).returncode == 0
database = sqlite3.connect(":memory:")
database.execute("create table t(x)")
database.executemany("insert into t values (?)", ((i,) for i in range(1000)))
try:
    import numpy
    assert numpy.arange(1000).sum() == 499500
except ImportError:
    pass
"""
    ran = python(adapter, [*options, "-c", code, variables.get("PYTHONMALLOC", "")], variables)
    return [] if ran.returncode == 0 and "cubby" not in ran.stderr else [f"{way}: {ran}"]


def main():
    adapter, extension = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    tests = []
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "misuse.py")
        pathlib.Path(script).write_text(
            "import ctypes, sys\n"
            "def misuse(library, name, size):\n"
            "    function = getattr(library, name)\n"
            "    function(ctypes.c_size_t(size))\n"
            "misuse(ctypes.PyDLL(sys.argv[1]), sys.argv[2], int(sys.argv[3]))\n"
        )
        for name in EXPECTED:
            for kind, size in SIZES.items():
                # Every way for one size; the others are told apart by no way.
                ways = WAYS if kind == "small" else ["CUBBY_DEBUG=1"]
                found = [line for way in ways for line in misuse_problems(adapter, script, extension, name, size, way)]
                found += unchecked_problems(adapter, script, extension, name, size)
                tests.append((f"{name} of a {kind} block by an extension is reported", found))
        for kind, size in SIZES.items():
            found = late_problems(adapter, script, extension, size)
            tests.append((f"a late second free of a {kind} block by an extension is reported", found))
            found = leak_problems(adapter, script, extension, size)
            tests.append((f"{kind} blocks that an extension leaks are reported at exit", found))
        found = place_problems(adapter, script, extension)
        tests.append(("a report has the Python lines of allocation and free", found))
        for way in WAYS:
            tests.append((f"a sound program runs clean under {way}", clean_problems(adapter, way)))
    print(f"1..{len(tests)}")
    for number, (sentence, found) in enumerate(tests, 1):
        print("not ok" if found else "ok", f"{number} - {sentence}")
        for line in "\n".join(found).splitlines():
            print("#", line)
    return 1 if any(found for _, found in tests) else 0


if __name__ == "__main__":
    sys.exit(main())
