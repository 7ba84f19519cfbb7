"""Peaks of 22 MB of every shape, each dropped for the next one, in a program that may have 64 MB in all."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

PEAK = 22 << 20


def numbers():
    items = [step + 0.5 for step in range(PEAK // 32)]
    assert items[-1] == len(items) - 0.5


def texts():
    items = [str(step) * (step % 20) for step in range(PEAK // 130)]
    assert all(items[step] == str(step) * (step % 20) for step in range(0, len(items), 97))


def table():
    items = {step: step for step in range(PEAK // 130)}
    assert len(items) == PEAK // 130 and items[1_000] == 1_000


def buffers():
    items = [bytearray(20_000) for _ in range(PEAK // 20_000)]
    assert not any(item[-1] for item in items)


def one():
    whole = bytearray(PEAK)
    whole[::4096] = b"x" * len(whole[::4096])
    assert whole.count(b"x") == PEAK >> 12


def growing():
    whole = []
    while len(whole) < PEAK // 16:
        whole += [len(whole)] * 500
    assert whole[-1] == len(whole) - 500


def trees():
    items = [[{"a": [step]}, (step, step)] for step in range(PEAK // 460)]
    assert all(item[0]["a"][0] == item[1][0] for item in items[::50])


assert probe.is_as_asked()
for _ in range(3):
    for shape in (numbers, texts, table, buffers, one, growing, trees, one, buffers, table, texts, numbers):
        shape()
try:
    bytearray(1 << 60)
except MemoryError:
    print("right")
