"""A block of more than memory and swap together is refused when it is asked for, not when it is filled.

Nothing is filled here: what is granted after all costs the machine nothing.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

MEGABYTE = 1 << 20


def machine():
    """Bytes of memory and swap."""
    with open("/proc/meminfo") as info:
        facts = dict(line.split(":") for line in info)
    return sum(int(facts[name].split()[0]) for name in ("MemTotal", "SwapTotal")) << 10


assert probe.is_as_asked()
for prefix in ("PyMem_", "PyObject_"):
    malloc, calloc, realloc, free = (probe.function(prefix, name) for name in ("Malloc", "Calloc", "Realloc", "Free"))
    for size in (machine() + 256 * MEGABYTE, 4 * machine(), 1 << 47, (1 << 63) - 1):
        assert malloc(size) is None, size
        assert calloc(8, size // 8) is None, size
        block = malloc(100_000)
        assert realloc(block, size) is None, size
        free(block)
    items = [[step] * (step % 100) for step in range(10_000)]
    assert all(len(item) == step % 100 for step, item in enumerate(items))
print("right")
