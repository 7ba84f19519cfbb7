#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What one load of unpickle_list costs in counters that do not drift.

    python3 lab/seeds/counters.py ADAPTER

Runs it on stock Python, with list buffers on libc as before the patch of 2016, and on Cubby, under cachegrind (Debian's
valgrind; a first-level data cache of 32 KiB, 8 ways), for two numbers of loads, and divides the differences: start and
end cancel out.
"""

import os
import re
import subprocess
import sys

FEW, MANY = 200, 1200
PROGRAM = (
    "import pickle, sys\n"
    "rows = [[list(range(10)), list(range(10))] for _ in range(10)]\n"
    "text = pickle.dumps(rows, 2)\n"
    "for _ in range(int(sys.argv[1])): pickle.loads(text)\n"
)
COUNTERS = {
    "instructions": r"I +refs: +([\d,]+)",
    "data misses": r"D1 +misses: +([\d,]+)",
    "mispredicts": r"Mispredicts: +([\d,]+)",
}


def count(loads, environment):
    """The counters of one process."""
    command = ["valgrind", "--tool=cachegrind", "--branch-sim=yes", "--D1=32768,8,64", "--cachegrind-out-file=/dev/null"]
    command += ["/usr/bin/python3", "-c", PROGRAM, str(loads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return {name: int(re.search(pattern, done.stderr).group(1).replace(",", "")) for name, pattern in COUNTERS.items()}


def arms_make(adapter):
    """The environment of each arm, by its name."""
    base = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
    cubby = {**base, "LD_PRELOAD": adapter}
    return {"stock": base, "list-libc": {**cubby, "CUBBY_OBJ": "stock", "CUBBY_MEM": "libc"}, "cubby": cubby}


def main():
    if len(sys.argv) != 2 or not os.path.exists(sys.argv[1]):
        sys.exit("usage: counters.py ADAPTER; ADAPTER is libcubby-python.so")
    arms = arms_make(os.path.abspath(sys.argv[1]))
    print("unpickle_list, one load".ljust(24) + "".join(name.rjust(14) for name in COUNTERS))
    for arm, environment in arms.items():
        few, many = count(FEW, environment), count(MANY, environment)
        print(arm.ljust(24) + "".join(f"{(many[name] - few[name]) / (MANY - FEW):14.1f}" for name in COUNTERS))


if __name__ == "__main__":
    main()
