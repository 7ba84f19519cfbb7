"""Every function of both domains gives blocks in Cubby's region, with the right content."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

SIZES = [0, 1, 8, 16, 17, 24, 100, 512, 513, 4000, 32768, 32769, 100_000, 3_000_000]


def check(block, size, what):
    assert block, f"{what} of {size} bytes failed"
    assert probe.is_cubbys(block), f"{what} of {size} bytes is not Cubby's"
    assert block % (8 if what.startswith("PyObject_") and 17 <= size <= 24 else 16) == 0, f"{what}: alignment"


for prefix in ("PyMem_", "PyObject_"):
    malloc, calloc, realloc, free = (probe.function(prefix, n) for n in ("Malloc", "Calloc", "Realloc", "Free"))
    blocks = []
    for size in SIZES:
        blocks.append(malloc(size))
        check(blocks[-1], size, prefix + "Malloc")
        zeroed = calloc(size, 1)
        check(zeroed, size, prefix + "Calloc")
        assert ctypes.string_at(zeroed, size) == bytes(size), f"{prefix}Calloc of {size} bytes is not zero"
        free(zeroed)
        fresh = realloc(None, size)
        check(fresh, size, prefix + "Realloc")
        free(fresh)
    assert len(set(blocks)) == len(blocks)
    for block in blocks:
        free(block)
    block = malloc(8)
    ctypes.memmove(block, b"12345678", 8)
    for size in SIZES[2:] + SIZES[:1:-1]:
        block = realloc(block, size)
        check(block, 513, prefix + "Realloc") if not 17 <= size <= 24 else None
        assert ctypes.string_at(block, 8) == b"12345678", f"{prefix}Realloc to {size} bytes lost the content"
    free(block)
    free(None)
    assert malloc((1 << 63) + 1) is None
    assert malloc((1 << 63) - 1) is None
    assert calloc(1 << 62, 1 << 62) is None

print("right")
