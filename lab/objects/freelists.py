#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Why the float freelist of 2008 was slow and the int freelist was not: docs/freelists.md, by counters.

    python3 lab/objects/freelists.py [--quick] BUILD RESULT.json

BUILD is the build folder. Each row runs cubby-order three times: with a million items and the 25 rounds of 2008, for the
order of addresses, faults and peak; and smaller under callgrind (Debian's valgrind), for instructions and the misses of
two simulated machines in the last rounds. Prints a table, and writes all that it counted. Nothing here is a time, so
anything may run beside it.
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile

# Names as docs/freelists.md and the plots have them.
ROWS = {
    "ints, no freelist": ["ints", "--policy=none"],
    "ints, bounded": ["ints", "--policy=bounded"],
    "ints, blocks": ["ints", "--policy=blocks"],
    "ints, blocks shuffled": ["ints", "--policy=blocks", "--arrange=shuffled"],
    "floats, no freelist": ["floats", "--policy=none"],
    "floats, bounded": ["floats", "--policy=bounded"],
    "floats, blocks": ["floats", "--policy=blocks"],
    "floats, blocks sorted": ["floats", "--policy=blocks", "--arrange=sorted"],
    "floats, blocks apart": ["floats", "--policy=blocks", "--apart"],
}
PROGRAMS = {"cubby": "cubby-order", "libc": "cubby-order-malloc"}
BESIDE = ["ints, no freelist", "ints, blocks", "floats, no freelist", "floats, blocks"]  # on libc, too

# An Athlon XP had 64 KiB and 256 KiB; the other one is that of `cubby bench objects`.
MACHINES = {
    "2008": ["--D1=65536,2,64", "--LL=262144,16,64"],
    "today": ["--D1=32768,8,64", "--LL=1048576,16,64"],
}
SIZES_FULL = {"counted": (1000000, 25), "simulated": (20000, 16)}
SIZES_QUICK = {"counted": (20000, 16), "simulated": (5000, 12)}
EVENTS = {"Ir": "instructions", "D1mr": "first_read", "D1mw": "first_write", "DLmr": "last_read", "DLmw": "last_write"}


def order_run(program, row, items, rounds, before=()):
    """One run; its line of JSON."""
    command = [*before, program, *row, f"--items={items}", f"--rounds={rounds}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"freelists.py: {' '.join(command)} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def events_read(path):
    """The totals of a file of callgrind's, by the names of its events."""
    with open(path, encoding="ascii") as file:
        text = file.read()
    names = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
    totals = re.search(r"^(?:summary|totals): (.*)$", text, re.MULTILINE).group(1).split()
    return dict(zip(names, map(int, totals)))  # zeroes at the end are not written


def simulated_run(program, row, machine, items, rounds):
    """Instructions and misses for each item of the last rounds."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind")
        before = ["valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes", "--toggle-collect=late_drop"]
        before += ["--toggle-collect=late_fill", f"--callgrind-out-file={path}", *MACHINES[machine]]
        line = order_run(program, row, items, rounds, before)
        events = events_read(path)
    counted = {name: events.get(event, 0) / (items * line["late_rounds"]) for event, name in EVENTS.items()}
    if counted["instructions"] < 50:
        sys.exit("freelists.py: callgrind has not counted in late_drop and late_fill; are they inlined?")
    return {
        "instructions": counted["instructions"],
        "first": counted["first_read"] + counted["first_write"],
        "last": counted["last_read"] + counted["last_write"],
    }


def row_run(build, name, allocator, sizes):
    """All that is counted of one row on one allocator."""
    program = os.path.join(build, "lab/native", PROGRAMS[allocator])
    row = ROWS[name]
    line = order_run(program, row, *sizes["counted"])
    simulated = {machine: simulated_run(program, row, machine, *sizes["simulated"]) for machine in MACHINES}
    return {"name": name, "allocator": allocator, "command": row, "counted": line, "simulated": simulated}


def result_print(results):
    print("Lines and pages: those that 1,024 objects lie on which are used one after the other, in the last round; 384")
    print("and 6 if they lay side by side. Faults: of each round but the first, on the average. Instructions and misses")
    print("of the last rounds, for each item: caches of 64 and 256 KiB as in 2008, of 32 KiB and 1 MiB as today.\n")
    heads = f"{'lines':>7}{'pages':>8}{'faults':>9}{'peak MiB':>10}{'instr.':>9}{'2008':>15}{'today':>15}"
    print(f"{'':24}{'on':7}{heads}")
    for result in results:
        counted, last = result["counted"], result["counted"]["rounds"][-1]
        later = [seen["faults"] for seen in counted["rounds"][1:]]
        cells = f"{last['lines']:7.0f}{last['pages']:8.0f}{sum(later) / len(later):9.0f}{counted['peak_kib'] / 1024:10.1f}"
        cells += f"{result['simulated']['today']['instructions']:9.0f}"
        for machine in MACHINES:
            misses = result["simulated"][machine]
            cells += f"{misses['first']:9.2f}{misses['last']:6.2f}"
        print(f"{result['name']:24}{result['allocator']:7}{cells}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--quick"]
    if len(arguments) != 2 or not os.path.exists(os.path.join(arguments[0], "lab/native", PROGRAMS["cubby"])):
        sys.exit("usage: freelists.py [--quick] BUILD RESULT.json; BUILD has lab/native/cubby-order")
    sizes = SIZES_QUICK if "--quick" in sys.argv else SIZES_FULL
    jobs = [(arguments[0], name, allocator, sizes) for name in ROWS for allocator in PROGRAMS]
    jobs = [job for job in jobs if job[2] == "cubby" or job[1] in BESIDE]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda job: row_run(*job), jobs))
    result_print(results)
    with open(arguments[1], "w", encoding="ascii") as file:
        json.dump({"machines": MACHINES, "rows": results}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
