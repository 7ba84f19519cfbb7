#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The rows of cubby-micro where nothing disturbs them.

    python3 lab/native/undisturbed.py [--processes=N] build/lab/native/cubby-micro

On a shared machine a core has two speeds: its own, and that beside somebody else's work on the same core, at which an
instruction more costs what it does not cost otherwise. So many processes are run, in turn on both cores, and of each row
that third counts in which the arm it is *against* was the fastest. That arm knows nothing of Cubby, so the choice favours
neither; what it does to chance is to make the ratio larger. Beside it stands the median of all processes.
"""

import argparse
import json
import os
import statistics
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=30)
    parser.add_argument("program", help="cubby-micro or cubby-micro-guard, built")
    arguments = parser.parse_args()
    if arguments.processes < 3:
        parser.error("--processes: a third of fewer than 3 is nothing")
    if not os.access(arguments.program, os.X_OK):
        parser.error(f"{arguments.program}: no such program; `make` builds it")
    cores = sorted(os.sched_getaffinity(0))
    rows = {}
    for i in range(arguments.processes):
        command = ["taskset", "-c", str(cores[i % len(cores)]), arguments.program, "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        for row in json.loads(ran.stdout)["rows"]:
            rows.setdefault(row["name"], []).append(row)
    third = arguments.processes // 3
    print(f"{arguments.processes} processes; of each row the {third} in which the other arm was the fastest, and all")
    print(f"{'':16} {'ns':>8} {'against':>8} {'ratio':>7} {'least':>7} {'most':>7} {'of all':>8}")
    for name, runs in rows.items():
        fastest = sorted(runs, key=lambda run: run["against_nanoseconds"])[:third]
        ratios = sorted(run["ratio"] for run in fastest)
        own, other = (statistics.median(run[key] for run in fastest) for key in ("nanoseconds", "against_nanoseconds"))
        of_all = statistics.median(run["ratio"] for run in runs)
        print(
            f"{name:16} {own:8.2f} {other:8.2f} {statistics.median(ratios):7.3f} {ratios[0]:7.3f} {ratios[-1]:7.3f}"
            f" {of_all:8.3f}"
        )


if __name__ == "__main__":
    main()
