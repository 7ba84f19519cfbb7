# SPDX-License-Identifier: MIT
"""The float loop of 2008: a list of a million new floats, and a dict of a million more under them, each round.

The program of 2008 says `vals = range(LIMIT)`, a list of a million ints then, and a lazy range now. It is taken as it
stands: the ints are made anew in each round, and none of them stays.
"""

import measure

LIMIT = 1000000


def work(vals, rounds):
    offset = len(vals) * 1.0
    for _ in range(rounds):
        d = {}
        for i in [float(x) for x in vals]:
            d[i] = i + offset
    return d


def check(vals, d):
    limit = len(vals)
    last = limit - 1.0
    if len(d) != limit or d[0.0] != limit or d[last] != last + limit or sum(d.values()) != limit * (3 * limit - 1) / 2:
        raise SystemExit("floats: the dict came out wrong")


measure.run("floats", lambda: range(LIMIT), work, check)
