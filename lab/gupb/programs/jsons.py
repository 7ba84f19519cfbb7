# SPDX-License-Identifier: MIT
"""json_dump_v2 and json_load: the C-accelerated json module on small, nested and repeated objects."""

import json

import pickles
from program import expect_equal, main, unrolled

FLAT = {"count": 12, "ready": True, "name": "pool", "kind": "span", "owner": "heap"}
NESTED = {"id": 7, "first": FLAT, "second": FLAT, "third": FLAT, "state": "kept", "word": "größ"[1:]}
CASES = (({}, 2000), (FLAT, 1000), (NESTED, 1000), ([NESTED] * 1000, 1))


def dump_prepare(size):
    return [(thing, max(1, times // size.pick(1, 50))) for thing, times in CASES]


def dump_work(loops, cases):
    dumps = json.dumps
    result = []
    for _ in range(loops):
        result = []
        for thing, times in cases:
            for _ in range(times):
                text = dumps(thing)
            result.append(text)
    return result


def dump_check(cases, result):
    expect_equal([json.loads(text) for text in result], [thing for thing, _ in cases], "what was written")
    return sum(map(len, result))


LOAD = unrolled("result = loads(text)", 20, "loads, text")


def load_prepare(size):
    things = pickles.mixed()
    del things[0]["day"]  # JSON has no dates
    return things, [json.dumps(thing) for thing in things], size.pick(400, 5)


def load_work(loops, prepared):
    _, texts, times = prepared
    result = []
    for _ in range(loops * times):
        result = [LOAD(1, json.loads, text) for text in texts]
    return result


def load_check(prepared, result):
    first, (numbers, number), texts = prepared[0]
    expect_equal(result, [first, [numbers, number], texts], "what was read")
    return len(result)


if __name__ == "__main__":
    main(
        {
            "json_dump_v2": (dump_prepare, dump_work, dump_check),
            "json_load": (load_prepare, load_work, load_check),
        }
    )
