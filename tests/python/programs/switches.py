"""greenlets: C stacks that are copied away and back, 10,000 times across two threads, with blocks taken on each."""

import gc
import os
import sys
import threading

import greenlet

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

TURNS = 5_000


def worker(seed):
    """Takes blocks on its own stack, gives them back turns later, and hands a block to whoever goes on."""
    held = []
    got = [seed]

    def turn(number):
        # Called by sorted(), a C function: what it has on the stack, pointers to blocks among it, is copied away.
        held.append([str(got[0])] * (got[0] % 40 + 1))
        if len(held) > 30:
            del held[:17]
        got[0] = greenlet.getcurrent().parent.switch((got[0], held[-1]))
        return -number

    while True:
        numbers = list(range(got[0] % 9 + 1))
        assert sorted(numbers, key=turn) == numbers[::-1]


def turns(seed, done):
    workers = [greenlet.greenlet(worker) for _ in range(20)]
    last = [0] * len(workers)
    for turn in range(TURNS):
        index = (turn * 7 + seed) % len(workers)
        number, block = workers[index].switch(turn)
        assert number == turn and block == [str(turn)] * (turn % 40 + 1)
        last[index] = turn
        if turn % 997 == 996:
            # Dropped in the middle: its stack is unwound by an exception.
            workers[index] = greenlet.greenlet(worker)
            gc.collect()
    assert max(last) == TURNS - 1
    done.append(seed)
    return workers


def check_exceptions():
    def fails():
        try:
            greenlet.getcurrent().parent.switch([1] * 1_000)
        finally:
            seen.append("unwound")

    seen = []
    for _ in range(200):
        one = greenlet.greenlet(fails)
        assert len(one.switch()) == 1_000
        try:
            one.throw(KeyError("asked for"))
        except KeyError:
            assert one.dead
    assert len(seen) == 200


assert probe.is_as_asked()
done, left = [], []
threads = [threading.Thread(target=lambda seed=seed: left.append(turns(seed, done))) for seed in (1, 2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(done) == [1, 2]
left.clear()  # greenlets of threads that are no more
gc.collect()
check_exceptions()
turns(3, done)
print("right")
