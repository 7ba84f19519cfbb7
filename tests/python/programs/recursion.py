"""Calls and structures that are very deep, made and dropped."""

import copy
import pickle
import sys
import threading


def count(depth):
    return 0 if depth == 0 else 1 + count(depth - 1)


def add(depth):
    """Goes through C at each step, so that the C stack grows."""
    return 0 if depth == 0 else 1 + sum(map(add, [depth - 1]))


def deep():
    sys.setrecursionlimit(200_000)
    assert count(100_000) == 100_000
    depth = 5_000 if sys.version_info < (3, 12) else 500  # later versions count what goes through C
    assert add(depth) == depth
    results.append(True)


results = []
threading.stack_size(256 << 20)
thread = threading.Thread(target=deep)
thread.start()
thread.join()
assert results == [True]

sys.setrecursionlimit(1_000)
for _ in range(100):
    try:
        count(5_000)
    except RecursionError:
        continue
    raise AssertionError("no RecursionError")

chain = nested = None
for step in range(1_000_000):
    chain = (step, chain)
    nested = [nested]
length = 0
walker = chain
while walker is not None:
    step, walker = walker
    length += 1
    assert step == 1_000_000 - length
del chain, nested, walker


class Node:
    def __init__(self, following):
        self.following = following


head = None
for _ in range(300_000):
    head = Node(head)
del head

generator = iter(())
for _ in range(500):
    generator = (item for item in generator)
assert list(generator) == []

nested = []
for _ in range(100_000):  # deeper than any version's picklers go
    nested = [nested]
for function in (copy.deepcopy, pickle.dumps, repr, hash):
    try:
        function(nested)
    except (RecursionError, TypeError):
        continue
    raise AssertionError(function)
print("right")
