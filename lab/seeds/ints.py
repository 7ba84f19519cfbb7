# SPDX-License-Identifier: MIT
"""The integer loop of 2008: a dict of two million new ints under two million new ints, made and dropped each round."""

import measure

LIMIT = 2000000


def work(limit, rounds):
    for _ in range(rounds):
        d = {}
        for i in range(limit):
            d[i] = i + limit
    return d


def check(limit, d):
    last = limit - 1
    if len(d) != limit or d[0] != limit or d[last] != last + limit or sum(d.values()) != limit * (3 * limit - 1) // 2:
        raise SystemExit("ints: the dict came out wrong")


measure.run("ints", lambda: LIMIT, work, check)
