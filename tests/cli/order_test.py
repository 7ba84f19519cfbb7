# SPDX-License-Identifier: MIT
"""What docs/freelists.md says of the order of addresses, at a small size: order_test.py CUBBY. Prints TAP.

The counts are of addresses, so that they are the same on every machine.
"""

import json
import os
import subprocess
import sys

from tap import main, test

NATIVE = os.path.join(os.path.dirname(os.path.abspath(sys.argv[1])), "lab", "native")
ITEMS, ROUNDS = 20000, 16


def order(*arguments, program="cubby-order"):
    return subprocess.run([os.path.join(NATIVE, program), *arguments], capture_output=True, text=True, check=False)


def pages(*arguments, program="cubby-order"):
    """Pages that 1,024 objects lie on, in the first round and in the last."""
    done = order(*arguments, f"--items={ITEMS}", f"--rounds={ROUNDS}", program=program)
    assert done.returncode == 0, done.stderr
    rounds = json.loads(done.stdout)["rounds"]
    assert len(rounds) == ROUNDS
    return rounds[0]["pages"], rounds[-1]["pages"]


@test
def float_blocks_lose_their_order_round_by_round():
    for program in ("cubby-order", "cubby-order-malloc"):
        first, last = pages("floats", "--policy=blocks", program=program)
        assert first < 12, first
        assert last > 200, last


@test
def int_blocks_keep_theirs():
    first, last = pages("ints", "--policy=blocks")
    assert last <= first + 1, (first, last)


@test
def float_blocks_keep_it_where_keys_and_values_have_one_freelist_each():
    first, last = pages("floats", "--policy=blocks", "--apart")
    assert last <= first + 1, (first, last)


@test
def float_blocks_that_are_sorted_keep_it_and_int_blocks_that_are_shuffled_do_not():
    first, last = pages("floats", "--policy=blocks", "--arrange=sorted")
    assert last <= first + 1, (first, last)
    first, last = pages("ints", "--policy=blocks", "--arrange=shuffled")
    assert last > 200, last


@test
def floats_without_a_freelist_keep_it():
    for policy in ("none", "bounded"):
        first, last = pages("floats", f"--policy={policy}")
        assert last <= first + 2, (policy, first, last)


@test
def what_makes_no_sense_is_refused_with_the_usage():
    for arguments in (
        [],
        ["strs"],
        ["floats", "--policy=many"],
        ["floats", "--items=100"],
        ["floats", "--rounds=1"],
        ["floats", "--arrange=sorted"],
        ["ints", "--policy=blocks", "--apart"],
    ):
        done = order(*arguments)
        assert done.returncode == 2 and "usage: cubby-order" in done.stderr and not done.stdout, arguments


if __name__ == "__main__":
    sys.exit(main())
