#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What the list change of 2016 brings now: docs/lists.md, by counters.

    python3 lab/lists/change.py [--quick] BUILD RESULT.json

BUILD is the build folder. The rows of `cubby bench lists` with list buffers on libc's malloc and on Cubby, each with
CPython's growth rule and with Cubby's: instructions an item (Debian's valgrind), system calls (strace), page faults,
buffers changed and bytes copied. Then unpickle_list in python3: stock, with list buffers on libc as before 2016,
and on Cubby. Prints two tables, and writes all that it counted. Nothing here is a time.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "seeds"))
import counters  # pylint: disable=wrong-import-position

# Loops of a short and of a long run: what is between them is counted, and start and end cancel out.
ROWS = {
    "append": (20, 100),
    "beside": (5, 25),
    "pop": (20, 100),
    "grow-shrink": (100, 200),
    "many": (120000, 150000),
    "nested": (5, 25),
    "unpickle": (5, 25),
    "large": (1, 2),
}
ARMS = [("libc", "cpython"), ("libc", "cubby"), ("cubby", "cpython"), ("cubby", "cubby")]
COUNTED = ["minor_faults", "changes", "moves", "bytes_copied"]


def command_run(command, environment=None):
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"change.py: {' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def instructions_count(command):
    """Of the row's loops alone, which are a function of their own."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind")
        before = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={path}"]
        command_run([*before, "--toggle-collect=own_run", "--toggle-collect=vector_run", *command])
        with open(path, encoding="ascii") as file:
            counted = int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE).group(1))
    if counted == 0:
        sys.exit("change.py: callgrind has counted nothing in own_run and vector_run; are they inlined?")
    return counted


def calls_count(command, environment=None):
    """System calls of the whole process."""
    with tempfile.NamedTemporaryFile("r", encoding="ascii") as file:
        command_run(["strace", "-f", "-c", "-U", "calls,name", "-o", file.name, *command], environment)
        return int(re.search(r"^\s*(\d+) total$", file.read(), re.MULTILINE).group(1))


def row_count(build, row, allocator, rule):
    """What lies between the two runs, for a million items."""
    seen = []
    for loops in ROWS[row]:
        command = [os.path.join(build, "lab/native/cubby-lists"), row, f"--on={allocator}", f"--rule={rule}"]
        command += [f"--loops={loops}"]
        line = json.loads(command_run(command))
        found = {name: line[name] for name in COUNTED}
        found["instructions"] = instructions_count(command)
        found["calls"] = calls_count(command)
        seen.append((line["items"], found))
    items = seen[1][0] - seen[0][0]
    counted = {name: (seen[1][1][name] - seen[0][1][name]) * 1e6 / items for name in seen[0][1]}
    return {"row": row, "allocator": allocator, "rule": rule, "items": items, **counted}


def python_count(arm, environment, quick):
    """One load of unpickle_list; faults and calls of a thousand."""
    few, many = (20, 60) if quick else (counters.FEW, counters.MANY)
    less, more = counters.count(few, environment), counters.count(many, environment)
    counted = {name: (more[name] - less[name]) / (many - few) for name in more}
    program = ["/usr/bin/python3", "-c", counters.PROGRAM]
    calls = [calls_count([*program, str(loads)], environment) for loads in (few, many)]
    counted["calls"] = (calls[1] - calls[0]) * 1000 / (many - few)
    return {"arm": arm, **counted}


def result_print(rows, python):
    print("A million items appended or taken off: instructions in millions; buffers changed, those that got another")
    print("address, MB copied for that; page faults and system calls.\n")
    print(f"{'':14}{'on':7}{'rule':9}{'instr.':>8}{'changes':>10}{'moves':>10}{'copied':>9}{'faults':>8}{'calls':>7}")
    for row in rows:
        cells = f"{row['instructions'] / 1e6:8.1f}{row['changes']:10.0f}{row['moves']:10.0f}"
        cells += f"{row['bytes_copied'] / 1e6:9.1f}{row['minor_faults']:8.0f}{row['calls']:7.0f}"
        print(f"{row['row']:14}{row['allocator']:7}{row['rule']:9}{cells}")
    print("\nunpickle_list in python3, one load; system calls of a thousand loads.\n")
    print("".ljust(14) + "".join(f"{name:>14}" for name in [*counters.COUNTERS, "calls"]))
    for line in python:
        print(line["arm"].ljust(14) + "".join(f"{line[name]:14.1f}" for name in [*counters.COUNTERS, "calls"]))


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--quick"]
    quick = "--quick" in sys.argv
    adapter = os.path.abspath(os.path.join(arguments[0], "adapters/python/libcubby-python.so")) if arguments else ""
    if len(arguments) != 2 or not os.path.exists(adapter):
        sys.exit("usage: change.py [--quick] BUILD RESULT.json; BUILD has adapters/ and lab/native/")
    if quick:
        del ROWS["large"], ROWS["many"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(arguments[0], row, *arm) for row in ROWS for arm in ARMS]
        rows = pool.map(lambda job: row_count(*job), jobs)
        arms = counters.arms_make(adapter)
        python = pool.map(lambda arm: python_count(arm, arms[arm], quick), arms)
        rows, python = list(rows), list(python)
    result_print(rows, python)
    with open(arguments[1], "w", encoding="ascii") as file:
        json.dump({"rows": rows, "unpickle_list": python}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
