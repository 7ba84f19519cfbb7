"""Each program here misuses memory in one way, and debug checks say so in one sentence.

    misuse_test.py PROGRAM...

Every program is run with a small, a medium and a large block. With checks on it must report what EXPECTED says, once,
and abort; told to go on, it must report the same and go on to its end. Without checks it may do what it likes, but must
not mention them. Prints TAP.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

SIZES = {"small": 40, "medium": 5000, "large": 100000}

# The report's first line. SIZE stands for the block's size.
EXPECTED = {
    "free_foreign": "the pointer is not a block of Cubby's",
    "free_interior": r"the pointer is not the start of a block: it points \d+ bytes from the start of one",
    "free_twice": "the block was freed before",
    "free_twice_late": "no block is there: it was freed long ago, or never given out",
    "leak_exit": "1 block of SIZE bytes in all not freed",
    "leak_heap": "1 block of SIZE bytes in all not freed",
    "lock_not_held": r"the lock that goes with domain obj, heap 0x\w+, is not held",
    "realloc_foreign": "the pointer is not a block of Cubby's",
    "realloc_freed": "the block was freed before",
    "write_after": "write after the block",
    "write_after_aligned": "write after the block",
    "write_after_realloc": "write after the block",
    "write_after_typed": "write after the block",
    "write_before": "write before the block",
    "write_freed": "write to a freed block",
    "write_freed_exit": "write to a freed block",
    "write_freed_queue": "write to a freed block",
    "write_live": "write after the block",
    "write_stale": "write to a freed block",
    "wrong_domain": "wrong domain: a block of domain mem is used as one of domain obj",
    "wrong_domain_raw": "wrong domain: a block of domain raw is used as one of domain mem",
    "wrong_heap": r"wrong heap: a block of heap 0x\w+ is used as one of heap 0x\w+",
    "wrong_size": r"wrong size: a block of SIZE bytes is freed as one of \d+",
    "wrong_size_heap": r"wrong size: a block of SIZE bytes is freed as one of \d+",
    "wrong_thread": r"heap 0x\w+ belongs to another thread",
    "wrong_type": "wrong size: a block of 48 bytes is freed as one of 208",
}

# What else the report must hold, of those that are about a block.
BLOCK_LINES = [
    r"block +0x\w+, \d+ bytes, domain \w+, serial number \d+, heap 0x\w+",
    r"allocated +by thread \d+",
]
WRONG_LINES = [r"wrong +bytes -?\d+ to -?\d+ of the block", r"found +41\b", r"expected +(fd|dd) in each byte"]
# After these the block in question is alive and on the queue of no heap: going on means more faults.
LEAKS = ("leak_exit", "leak_heap")


def run(program, size, **settings):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUBBY_")}
    environment |= settings
    # A program that is aborted on purpose leaves no file behind.
    command = ["sh", "-c", 'ulimit -c 0; exec "$0" "$1"', program, str(size)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def report_problems(name, size, text):
    reports = [line.removeprefix("cubby: debug: ") for line in text.splitlines() if line.startswith("cubby: debug: ")]
    expected = EXPECTED[name].replace("SIZE", str(size))
    if len(reports) != 1 or not re.fullmatch(expected, reports[0]):
        return [f"expected one report, {expected!r}, got {reports}"]
    wanted = []
    if name.startswith("write"):
        wanted = BLOCK_LINES + WRONG_LINES
    elif name not in LEAKS and not re.search("foreign|late|lock|thread", name):
        wanted = BLOCK_LINES
    return [f"nothing matches {line!r} in {text}" for line in wanted if not re.search(line, text)]


def problems(program, name, size):
    found = []
    leaks = {"CUBBY_DEBUG_LEAKS": "1"} if name in LEAKS else {}
    on = run(program, size, CUBBY_DEBUG="1", CUBBY_DEBUG_STACKS="6", **leaks)
    found += report_problems(name, size, on.stderr)
    if name.startswith("leak"):
        found += [] if on.returncode == 0 else [f"a leak ended the program with {on.returncode}"]
    elif on.returncode not in (-signal.SIGABRT, 128 + signal.SIGABRT):
        found.append(f"it was not aborted, but ended with {on.returncode}")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report"
        going = run(program, size, CUBBY_DEBUG="1", CUBBY_DEBUG_CONTINUE="1", CUBBY_DEBUG_FILE=str(file), **leaks)
        found += report_problems(name, size, file.read_text() if file.exists() else "")
        found += [] if going.returncode == 0 else [f"it did not go on, but ended with {going.returncode}"]
        found += [] if going.stderr == "" else [f"on stderr and not in the file: {going.stderr}"]
    if name not in LEAKS:
        off = run(program, size)
        found += [f"without checks: {off.stderr}"] if "debug" in off.stderr else []
    return found


def main():
    programs = {pathlib.Path(path).name.removeprefix("misuse-"): path for path in sys.argv[1:]}
    missing = sorted(set(EXPECTED) ^ set(programs))
    print(f"1..{len(EXPECTED) * len(SIZES) + 1}")
    print("ok" if not missing else "not ok", "1 - every program has its message and every message its program")
    failed = len(missing)
    number = 1
    for name in sorted(set(EXPECTED) & set(programs)):
        for kind, size in SIZES.items():
            number += 1
            found = problems(programs[name], name, size)
            failed += len(found)
            print("not ok" if found else "ok", f"{number} - {name} of a {kind} block is reported")
            for line in "\n".join(found).splitlines():
                print("#", line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
