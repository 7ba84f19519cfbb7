# SPDX-License-Identifier: MIT
"""The unpickle_list benchmark of 2016: 31 small lists are read from a pickle, 32,000 times a round.

The object is ten rows of two lists of the ints 0 to 9; the ints are shared, so the memory traffic is list objects and
list buffers only. The pickle is protocol 2 and is read by the C module.
"""

import pickle

import measure

LOOPS = 3200  # times ten loads


def prepare():
    if pickle.loads.__module__ != "_pickle":
        raise SystemExit("unpickle_list: this Python has no C pickle")
    rows = [[list(range(10)), list(range(10))] for _ in range(10)]
    return rows, pickle.dumps(rows, 2)


def work(prepared, rounds):
    loads, data = pickle.loads, prepared[1]
    for _ in range(rounds * LOOPS):
        loads(data)
        loads(data)
        loads(data)
        loads(data)
        loads(data)
        loads(data)
        loads(data)
        loads(data)
        loads(data)
        result = loads(data)
    return result


def check(prepared, result):
    if result != prepared[0]:
        raise SystemExit("unpickle_list: the lists came out wrong")


measure.run("unpickle_list", prepare, work, check)
