"""Many threads that allocate, pass blocks on and drop each other's."""

import concurrent.futures
import hashlib
import queue
import random
import sys
import threading

sys.setswitchinterval(1e-5)  # switch as often as can be
WORKERS = 40
ROUNDS = 1_500
failures = []


def guarded(function, *arguments):
    try:
        function(*arguments)
    except BaseException as error:
        failures.append(error)


def churn(seed):
    rng = random.Random(seed)
    held = {}
    for step in range(ROUNDS):
        key = rng.randrange(100)
        size = rng.choice((0, 3, 30, 300, 3_000, 30_000))
        held[key] = (size, bytearray([seed % 256]) * size, [seed] * (size // 8))
        if step % 50 == 0:
            for size, text, items in held.values():
                assert text.count(seed % 256) == len(text) == size and items == [seed] * (size // 8)


def run(*calls):
    threads = [threading.Thread(target=guarded, args=call) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


run(*((churn, seed) for seed in range(WORKERS)))

line = queue.Queue(maxsize=50)
sums = []


def produce(seed):
    for step in range(ROUNDS):
        line.put((seed, [seed] * (step % 200), str(step) * 10, step / 3))


def consume():
    total = 0
    while True:
        item = line.get()
        if item is None:
            sums.append(total)
            return
        seed, items, text, number = item
        step = int(text[: len(text) // 10])
        assert items == [seed] * (step % 200) and number == step / 3
        total += step


consumers = [threading.Thread(target=guarded, args=(consume,)) for _ in range(8)]
for consumer in consumers:
    consumer.start()
run(*((produce, seed) for seed in range(8)))
for _ in consumers:
    line.put(None)
for consumer in consumers:
    consumer.join()
assert not failures and sum(sums) == 8 * sum(range(ROUNDS)), failures

# Hashing large buffers lets go of the interpreter's lock: raw and libc memory is used in the meantime.
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    digests = list(pool.map(lambda step: hashlib.sha1(bytes([step % 256]) * 100_000).digest(), range(300)))
assert digests == [hashlib.sha1(bytes([step % 256]) * 100_000).digest() for step in range(300)]

local = threading.local()


def use_local(seed):
    local.items = [seed] * 10_000
    assert local.items.count(seed) == 10_000


for _ in range(10):  # threads that come and go
    run(*((use_local, seed) for seed in range(50)))
print("right")
