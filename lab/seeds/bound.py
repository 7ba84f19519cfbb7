#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""How much faster could any allocator make the loops of 2008 on this machine?

    python3 lab/seeds/bound.py ADAPTER [RUNS [PEER]]     PEER: another allocator's library, to be preloaded

An allocator can save a loop its page faults and its own instructions; what the interpreter computes it cannot save.
This runs each loop on stock Python and on Cubby in turn, pinned to one core, and tells the time in the program (user)
from the time in the system, which is mostly page faults. Stock's total over stock"s user time is the speedup of an
allocator that never faults and is otherwise as fast as pymalloc: a bound for all but the cleverest. Over a peer the bound
is the peer's total over the least user time of all three.
"""

import os
import statistics
import sys

SEEDS = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5


def run(seed, environment):
    """User and system seconds of one process."""
    child = os.fork()
    if child == 0:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        script = os.path.join(SEEDS, seed + ".py")
        os.execve("/usr/bin/python3", ["python3", script, f"--rounds={ROUNDS}"], environment)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"bound: {seed} failed with status {status}")
    return usage.ru_utime, usage.ru_stime


def main():
    files = sys.argv[1:2] + sys.argv[3:4]
    if len(sys.argv) not in (2, 3, 4) or not all(map(os.path.exists, files)):
        sys.exit("usage: bound.py ADAPTER [RUNS [PEER]]; ADAPTER is libcubby-python.so, PEER another library")
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    base = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    arms = {"stock": base, "cubby": {**base, "LD_PRELOAD": os.path.abspath(sys.argv[1])}}
    if len(sys.argv) == 4:
        arms["peer"] = {**base, "PYTHONMALLOC": "malloc", "LD_PRELOAD": os.path.abspath(sys.argv[3])}
    print(f"{ROUNDS} rounds, medians of {runs} runs in turn")
    for seed in ("ints", "floats"):
        times = {arm: [] for arm in arms}
        for _ in range(runs):
            for arm, environment in arms.items():
                times[arm].append(run(seed, environment))
        medians = {arm: [statistics.median(part) for part in zip(*times[arm])] for arm in arms}
        for arm, (user, system) in medians.items():
            print(f"{seed:7} {arm:6} user {user:5.2f} s   system {system:5.2f} s   total {user + system:5.2f} s")
        user, system = medians["stock"]
        total = sum(medians["cubby"])
        print(f"{seed:7} bound {(user + system) / user:.2f}x, Cubby {(user + system) / total:.2f}x")
        if "peer" in medians:
            peer = sum(medians["peer"])
            least = min(user for user, _ in medians.values())
            print(f"{seed:7} over the peer: bound {peer / least:.2f}x, Cubby {peer / total:.2f}x")


if __name__ == "__main__":
    main()
