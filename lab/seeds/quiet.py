#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""unpickle_list where nothing disturbs it.

    python3 lab/seeds/quiet.py [--processes=N] LIBRARY...

On a shared machine most processes run beside somebody else's work, at two thirds of the speed, and a difference of a
percent drowns in it. So each process times many short pieces and keeps its fastest, processes of both arms take turns
on both cores, and of each arm (stock, and stock with each LIBRARY preloaded) the fastest third counts: those that met a quiet machine at least once. The interval is
the bootstrap's, over processes.
"""

import argparse
import os
import random
import subprocess
import sys

PROGRAM = """
import pickle, time
rows = [[list(range(10)), list(range(10))] for _ in range(10)]
text, loads, clock, best = pickle.dumps(rows, 2), pickle.loads, time.perf_counter, 1.0
for _ in range(300):
    start = clock()
    for _ in range(100): loads(text)
    best = min(best, clock() - start)
print(best * 1e4)
"""


def fastest(environment, core):
    """Microseconds a load in the fastest piece of one process."""
    command = ["taskset", "-c", str(core), "/usr/bin/python3", "-c", PROGRAM]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def quiet(times):
    """The mean of the fastest third."""
    third = sorted(times)[: max(1, len(times) // 3)]
    return sum(third) / len(third)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=120, help="of each arm")
    parser.add_argument("libraries", nargs="+", metavar="LIBRARY")
    arguments = parser.parse_args()
    base = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    arms = {"stock": base}
    for library in arguments.libraries:
        if not os.path.exists(library):
            parser.error(f"{library}: no such file")
        arms[os.path.basename(library)] = {**base, "LD_PRELOAD": os.path.abspath(library)}
    times = {arm: [] for arm in arms}
    cores = sorted(os.sched_getaffinity(0))[:2]
    for i in range(arguments.processes):
        for arm in list(arms)[:: 1 if i % 2 else -1]:
            times[arm].append(fastest(arms[arm], cores[i // 2 % len(cores)]))
    generator = random.Random(2016)
    print(f"unpickle_list, one load; {arguments.processes} processes an arm, the fastest third of them")
    for arm, own in times.items():
        pairs = ((generator.choices(times["stock"], k=len(own)), generator.choices(own, k=len(own))) for _ in range(2000))
        ratios = sorted(quiet(stock) / quiet(this) for stock, this in pairs)
        print(f"{arm:34} {quiet(own):6.3f} us  {quiet(times['stock']) / quiet(own):.3f}x stock's speed"
              f"  (95 % {ratios[50]:.3f} to {ratios[1949]:.3f})")


if __name__ == "__main__":
    main()
