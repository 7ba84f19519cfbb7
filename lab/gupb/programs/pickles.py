# SPDX-License-Identifier: MIT
"""The pickle family: unpickle_list, pickle_list, pickle_dict, fastpickle, fastunpickle, slowpickle, slowunpickle.

`fast` is the C module, `slow` the Python one beside it. Pickles are of protocol 2, as in 2016, or of the highest one.
"""

import pickle
import random
from datetime import date

from program import expect, expect_equal, main, unrolled

PROTOCOL = 2


def record():
    """A dict as a web application may keep of a user."""
    user = {f"number_{i}": (i + 2) ** 9 % 4000000007 for i in range(18)}
    user.update({f"word_{i}": "memory" * (i % 3 + 1) for i in range(12)})
    return {**user, "long": 2**38 + 5, "day": date(2016, 2, 16), "letters": list("abcdefg")}


def mixed():
    """A record; a tuple of a list of numbers and a number; three records of numbers as text."""
    generator = random.Random(5)
    numbers = [generator.randrange(100000000, 1000000000) for _ in range(20)]
    texts = [{key: str(generator.random() * 2.0**63) for key in record()} for _ in range(3)]
    return [record(), (numbers, 60), texts]


def lists():
    return [[list(range(10)), list(range(10))] for _ in range(10)]


def dicts():
    return {key: dict.fromkeys(range(10)) for key in range(100)}


def protocol_of(size):
    return pickle.HIGHEST_PROTOCOL if size.today else PROTOCOL


def dump_benchmark(make, unroll, repeats, slow=False):
    """Objects, one after the other, `unroll` times each a repeat; a loop is a sample of 2016, `repeats` of these."""
    function = pickle._dumps if slow else pickle.dumps
    dump = unrolled("result = dumps(thing, protocol)", unroll, "dumps, thing, protocol")

    def prepare(size):
        expect(slow or pickle.dumps.__module__ == "_pickle", "this Python has no C pickle")
        return make(), protocol_of(size), size.pick(repeats, 5)

    def work(loops, prepared):
        things, protocol, times = prepared
        result = []
        for _ in range(loops * times):
            result = [dump(1, function, thing, protocol) for thing in things]
        return result

    def check(prepared, result):
        expect_equal([pickle.loads(data) for data in result], prepared[0], "what was pickled")
        return sum(map(len, result))

    return prepare, work, check


def load_benchmark(make, unroll, repeats, slow=False):
    function = pickle._loads if slow else pickle.loads
    load = unrolled("result = loads(data)", unroll, "loads, data")

    def prepare(size):
        expect(slow or pickle.loads.__module__ == "_pickle", "this Python has no C pickle")
        things = make()
        return things, [pickle.dumps(thing, protocol_of(size)) for thing in things], size.pick(repeats, 5)

    def work(loops, prepared):
        _, texts, times = prepared
        result = []
        for _ in range(loops * times):
            result = [load(1, function, data) for data in texts]
        return result

    def check(prepared, result):
        expect_equal(result, prepared[0], "what was unpickled")
        return len(result)

    return prepare, work, check


if __name__ == "__main__":
    main(
        {
            "unpickle_list": load_benchmark(lambda: [lists()], 10, 3200),
            "pickle_list": dump_benchmark(lambda: [lists()], 10, 3200),
            "pickle_dict": dump_benchmark(lambda: [dicts()], 5, 1600),
            "fastpickle": dump_benchmark(mixed, 20, 800),
            "fastunpickle": load_benchmark(mixed, 20, 800),
            "slowpickle": dump_benchmark(mixed, 20, 20, slow=True),
            "slowunpickle": load_benchmark(mixed, 20, 20, slow=True),
        }
    )
