"""tracemalloc wraps Cubby's tables, sees every block, and can be taken off again, any number of times."""

import tracemalloc

import sys
import os

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

before = [bytearray(step) for step in range(1_000)]
assert probe.server(1) == probe.server(2) == "cubby"
for round in range(5):
    tracemalloc.start(1 + round * 5)
    low = tracemalloc.get_traced_memory()[0]
    blocks = [bytearray(1_000) for _ in range(1_000)]
    numbers = [step * 1.5 for step in range(10_000)]
    high = tracemalloc.get_traced_memory()[0]
    assert 1_000_000 + 240_000 <= high - low <= 1_600_000, high - low
    snapshot = tracemalloc.take_snapshot()
    assert max(snapshot.statistics("lineno"), key=lambda line: line.size).size >= 1_000_000
    assert tracemalloc.get_object_traceback(blocks[7]) is not None
    assert probe.server(1) == probe.server(2) == "cubby"
    if round % 2:
        del blocks, numbers, snapshot
    before += [bytearray(step) for step in range(1_000)]
    tracemalloc.stop()
    blocks = numbers = snapshot = None  # traced when made, not when dropped
    del before[:500]
assert all(len(block) == block.count(0) for block in before)
assert probe.server(1) == probe.server(2) == "cubby"
print("right")
