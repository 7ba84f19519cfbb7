"""tracemalloc from start to stop: what two snapshots differ by is what was taken between, and Cubby serves on."""

import linecache
import os
import sys
import threading
import tracemalloc

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

KEPT, DROPPED = 3_000_000, 5_000_000


def take(bytes_each, total):
    return [bytearray(bytes_each - 57) for _ in range(total // bytes_each)]


def check(traced_from_the_start):
    if not traced_from_the_start:
        assert not tracemalloc.is_tracing() and tracemalloc.get_traced_memory() == (0, 0)
        tracemalloc.start(5)
    assert tracemalloc.is_tracing() and probe.is_as_asked()
    dropped = take(2_000, DROPPED)
    first = tracemalloc.take_snapshot()
    del dropped
    kept = take(500, KEPT)  # this line is looked for
    thread = threading.Thread(target=lambda: kept.append(take(40_000, KEPT)))
    thread.start()
    thread.join()
    second = tracemalloc.take_snapshot()
    differences = second.compare_to(first, "lineno")
    assert differences and sum(line.size for line in second.statistics("filename")) > 2 * KEPT
    change = sum(line.size_diff for line in differences)
    assert abs(change - (2 * KEPT - DROPPED)) < KEPT / 4, change
    callers = second.filter_traces([tracemalloc.Filter(True, __file__, all_frames=True)]).statistics("traceback")
    lines = [line for group in callers for line in group.traceback.format()]
    assert any("this line is looked for" in line for line in lines)
    now, peak = tracemalloc.get_traced_memory()
    assert peak >= now > 2 * KEPT and tracemalloc.get_tracemalloc_memory() > 0
    tracemalloc.reset_peak()
    tracemalloc.clear_traces()
    assert tracemalloc.get_traced_memory()[0] < KEPT
    tracemalloc.stop()
    assert tracemalloc.get_traced_memory() == (0, 0)
    for block in kept[:-1] + kept[-1]:
        assert block.count(0) == len(block)


linecache.getline(__file__, 1)
assert probe.is_as_asked()
check(sys.argv[1:] == ["from-the-start"])
for _ in range(3):
    check(False)
assert probe.is_as_asked()
print("right")
