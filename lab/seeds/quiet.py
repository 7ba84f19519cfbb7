#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A piece of a seed's workload where nothing disturbs it.

    python3 lab/seeds/quiet.py [--workload=NAME] [--processes=N] [--base=LIBRARY] LIBRARY...

A LIBRARY may be followed by settings: LIBRARY,CUBBY_HEAPS=thread.

The workloads: unpickle_list, and pieces of the loops ints and floats, as large as the second-level cache.

On a shared machine most processes run beside somebody else's work, at two thirds of the speed, and a difference of a
percent drowns in it. So each process times many short pieces and keeps its fastest, processes of both arms take turns
on both cores, and of each arm (stock, and stock with each LIBRARY preloaded) the fastest third counts: those that met
a quiet machine at least once. The interval is the bootstrap's, over processes. All are compared with stock, or with
the base.
"""

import argparse
import os
import random
import subprocess
import sys

PROGRAM = """
import time
{setup}
clock, best = time.perf_counter, 1.0
def piece():
    {loop}
for _ in range(300):
    start = clock()
    piece()
    best = min(best, clock() - start)
print(best * 1e4)
"""

WORKLOADS = {
    "unpickle_list": (
        "import pickle; rows = [[list(range(10)), list(range(10))] for _ in range(10)];"
        " text, loads = pickle.dumps(rows, 2), pickle.loads",
        "for _ in range(100): loads(text)",
    ),
    "ints": ("", "d = {}\n    for i in range(3000): d[i] = i + 2000000"),
    "floats": ("", "d = {}\n    for i in [float(x) for x in range(3000)]: d[i] = i + 1000000.0"),
}


def fastest(environment, core, workload):
    """Microseconds a hundredth of the fastest piece of one process takes."""
    setup, loop = WORKLOADS[workload]
    command = ["taskset", "-c", str(core), "/usr/bin/python3", "-c", PROGRAM.format(setup=setup, loop=loop)]
    return float(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


def quiet(times):
    """The mean of the fastest third."""
    third = sorted(times)[: max(1, len(times) // 3)]
    return sum(third) / len(third)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=120, help="of each arm")
    parser.add_argument("--workload", choices=WORKLOADS, default="unpickle_list")
    parser.add_argument("--base", metavar="LIBRARY", help="what to compare with instead of stock")
    parser.add_argument("libraries", nargs="+", metavar="LIBRARY")
    arguments = parser.parse_args()
    plain = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    arms = {} if arguments.base else {"stock": plain}
    for arm in ([arguments.base] if arguments.base else []) + arguments.libraries:
        library, *settings = arm.split(",")
        if not os.path.exists(library):
            parser.error(f"{library}: no such file")
        if not all("=" in setting for setting in settings):
            parser.error(f"{arm}: a setting is NAME=VALUE")
        chosen = dict(setting.split("=", 1) for setting in settings)
        arms[",".join([os.path.basename(library), *settings])] = {
            **plain, **chosen, "LD_PRELOAD": os.path.abspath(library)
        }
    base = next(iter(arms))
    times = {arm: [] for arm in arms}
    cores = sorted(os.sched_getaffinity(0))[:2]
    for i in range(arguments.processes):
        for arm in list(arms)[:: 1 if i % 2 else -1]:
            times[arm].append(fastest(arms[arm], cores[i // 2 % len(cores)], arguments.workload))
    generator = random.Random(2016)
    print(f"{arguments.workload}, a hundredth of a piece; {arguments.processes} processes an arm, the fastest third of them")
    for arm, own in times.items():
        pairs = ((generator.choices(times[base], k=len(own)), generator.choices(own, k=len(own))) for _ in range(2000))
        ratios = sorted(quiet(other) / quiet(this) for other, this in pairs)
        print(f"{arm:40} {quiet(own):6.3f} us  {quiet(times[base]) / quiet(own):.3f}x the speed of {base}"
              f"  (95 % {ratios[50]:.3f} to {ratios[1949]:.3f})")


if __name__ == "__main__":
    main()
