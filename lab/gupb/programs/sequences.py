# SPDX-License-Identifier: MIT
"""unpack_sequence: a tuple and a list of ten are taken apart 400 times each. Nothing is allocated: a control."""

from program import expect_equal, main

NAMES = "a, b, c, d, e, f, g, h, i, j"


def prepare(size):
    lines = ["def work(loops, row, items):", " for _ in range(loops):"]
    lines += [f"  {NAMES} = row"] * 400 + [f"  {NAMES} = items"] * 400 + [f" return [{NAMES}]"]
    scope = {}
    exec("\n".join(lines), scope)
    return scope["work"], tuple(range(10)), list(range(10, 20)), size.pick(400, 10)


def work(loops, prepared):
    function, row, items, times = prepared
    return function(loops * times, row, items)


def check(prepared, result):
    expect_equal(result, prepared[2], "the ten locals")
    return sum(result)


if __name__ == "__main__":
    main({"unpack_sequence": (prepare, work, check)})
