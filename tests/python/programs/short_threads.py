"""Hundreds of threads that allocate, leave something behind and end: what they dropped is used again.

Threads of the interpreter's own, and threads that the C library starts and that only call in.
"""

import collections
import ctypes
import threading

LIMIT = 96 << 20
left = collections.deque(maxlen=200)  # what threads leave is dropped by others, long after they ended


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def work(number):
    items = [(number, str(number), [number] * 5) for _ in range(1_000)]
    text = bytearray([number % 256]) * 70_000
    left.append((number, items[::60], text, {"number": number}))


def check():
    for number, items, text, table in left:
        assert all(item == (number, str(number), [number] * 5) for item in items)
        assert text.count(number % 256) == 70_000 and table == {"number": number}


def run_own(count):
    for number in range(0, count, 4):
        threads = [threading.Thread(target=work, args=(number + step,)) for step in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
libc = ctypes.CDLL(None)
libc.pthread_create.argtypes = [ctypes.POINTER(ctypes.c_ulong), ctypes.c_void_p, CALLBACK, ctypes.c_void_p]
libc.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]


@CALLBACK
def call_in(number):
    work(number or 0)
    return None


def run_foreign(count):
    for number in range(0, count, 4):
        threads = [ctypes.c_ulong() for _ in range(4)]
        for step, thread in enumerate(threads):
            assert libc.pthread_create(ctypes.byref(thread), None, call_in, number + step) == 0
        for thread in threads:
            assert libc.pthread_join(thread, None) == 0


run_own(100)
run_foreign(100)
before = resident()
for _ in range(3):
    run_own(200)
    check()
    run_foreign(200)
    check()
# What is left takes 20 MB at most; what 1,200 threads used, more than 200 MB.
grown = resident() - before
assert grown < LIMIT, f"grew by {grown} bytes"
print("right")
