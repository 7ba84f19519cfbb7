"""Blocks that are freed or resized through another domain than the one they came from, as stock survives it."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

raw, mem, obj = ({name: probe.function(prefix, name) for name in ("Malloc", "Calloc", "Realloc", "Free")}
                 for prefix in probe.PREFIXES)
TEXT = bytes(range(1, 200))


def fill(block, size):
    ctypes.memmove(block, TEXT, min(size, len(TEXT)))


def check(block, *sizes):
    size = min(len(TEXT), *sizes)
    assert ctypes.string_at(block, size) == TEXT[:size]


def free_elsewhere(source, target):
    for size in (1, 24, 100, 512, 513, 5_000, 40_000, 2_000_000):
        for _ in range(20):
            block = source["Malloc"](size)
            fill(block, size)
            check(block, size)
            target["Free"](block)


def resize_elsewhere(source, target):
    for size in (1, 24, 100, 512, 513, 5_000, 40_000, 2_000_000):
        for resized in (1, 24, 100, 600, 40_000, 3_000_000):
            block = source["Malloc"](size)
            fill(block, size)
            block = target["Realloc"](block, resized)
            check(block, size, resized)
            block = target["Realloc"](block, 77)
            check(block, size, resized, 77)
            target["Free"](block)


for source, target in ((raw, mem), (raw, obj), (mem, obj), (obj, mem)):
    free_elsewhere(source, target)
    resize_elsewhere(source, target)
print("right")
