"""Two hundred forks; parent and child go on to allocate and free, and neither disturbs the other."""

import gc
import os
import sys
import threading

held = {step: [step] * (step % 300) for step in range(6_000)}
texts = [bytearray(b"parent") * step for step in range(0, 3_000, 7)]


def stir(seed):
    for step in range(seed, 6_000, 97):
        held[step] = [seed] * (step % 300)
    for step in range(seed % 7, len(texts), 13):
        texts[step] = bytearray(b"%06d" % seed) * (step * 7)
    fresh = [(seed, str(step), step / 7) for step in range(2_000)]
    large = bytearray(500_000 + seed)
    large[-1] = seed % 256
    assert all(item == (seed, str(step), step / 7) for step, item in enumerate(fresh))
    assert large[-1] == seed % 256


def check(last):
    """What stir() left, and what it did not touch."""
    for step in range(last, 6_000, 97):
        assert held[step] == [last] * (step % 300)
    for step, text in enumerate(texts):
        assert len(text) == step * 7 * 6


children = {}
for seed in range(200):
    child = os.fork()
    if child == 0:
        status = 1
        try:
            stir(seed + 1_000)
            check(seed + 1_000)
            if seed % 20 == 0:
                gc.collect()
                grandchild = os.fork()
                if grandchild == 0:
                    stir(5)
                    os._exit(9)
                assert os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) == 9
            status = seed % 100 + 10
        finally:
            os._exit(status)
    children[child] = seed % 100 + 10
    stir(seed)
    check(seed)
for child, expected in children.items():
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == expected

# With threads that are in the middle of allocating.
stop = threading.Event()


def churn():
    while not stop.is_set():
        [bytearray(step) for step in range(0, 50_000, 999)]


threads = [threading.Thread(target=churn, daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()
for seed in range(50):
    child = os.fork()
    if child == 0:
        items = [bytearray(step * 31) for step in range(2_000)]
        del items[::2]
        os._exit(0 if sum(map(len, items)) == sum(step * 31 for step in range(1, 2_000, 2)) else 1)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads:
    thread.join()
sys.stdout.write("right\n")
