"""Blocks of the interpreter's domains that are given to the C library, as careless extensions do."""

import ctypes
import threading

SIZES = (513, 4096, 40000, 3_000_000)  # stock CPython takes these from the C library

held = ctypes.PyDLL(None)
loose = ctypes.CDLL(None)
take = {}
for domain in ("Mem", "Object"):
    take[domain] = getattr(held, f"Py{domain}_Malloc")
    take[domain].restype, take[domain].argtypes = ctypes.c_void_p, [ctypes.c_size_t]
loose.realloc.restype, loose.realloc.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_size_t]
loose.free.argtypes = held.PyMem_RawFree.argtypes = loose.PyMem_RawFree.argtypes = [ctypes.c_void_p]
held.PyMem_RawRealloc.restype = ctypes.c_void_p
held.PyMem_RawRealloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def filled(domain, size):
    block = take[domain](size)
    ctypes.memset(block, 0x5A, size)
    return block


def check(block, size):
    if ctypes.string_at(block, size) != b"\x5a" * size:
        raise SystemExit("a block lost its content")


def cross(free):
    """Every way home, many times: what does not come home shows as growth."""
    for _ in range(20):
        for size in SIZES:
            for domain in take:
                free(filled(domain, size))
                for resize in (loose.realloc, held.PyMem_RawRealloc):
                    block = resize(filled(domain, size), 2 * size)
                    check(block, size)
                    block = resize(block, size // 2)
                    check(block, size // 2)
                    loose.free(block)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


for way in (loose.free, held.PyMem_RawFree, loose.PyMem_RawFree):
    cross(way)
before = resident()
threads = [threading.Thread(target=cross, args=(loose.free,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for way in (loose.free, held.PyMem_RawFree):
    for _ in range(5):
        cross(way)
text = [str(i) for i in range(100000)]
if sorted(text)[0] != "0":
    raise SystemExit("wrong")
print("right" if resident() < before + (64 << 20) else f"grew from {before} to {resident()}")
