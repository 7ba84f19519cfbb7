"""Cycles, weak references and finalisers: all that is dropped goes, and nothing else."""

import gc
import sys
import weakref


class Node:
    made = dropped = 0

    def __init__(self):
        Node.made += 1
        self.other = None
        self.load = [Node.made] * (Node.made % 50)

    def __del__(self):
        Node.dropped += 1


def make_cycle(length):
    first = node = Node()
    for _ in range(length - 1):
        node.other = Node()
        node = node.other
    node.other = first
    return first


for length in list(range(1, 200)) + [5_000]:
    make_cycle(length)
gc.collect()
assert Node.made == Node.dropped == sum(range(1, 200)) + 5_000, (Node.made, Node.dropped)

nodes = [Node() for _ in range(20_000)]
called = []
references = [weakref.ref(node, called.append) for node in nodes]
values = weakref.WeakValueDictionary(enumerate(nodes))
keys = weakref.WeakKeyDictionary((node, index) for index, node in enumerate(nodes))
del nodes[::2]
gc.collect()
assert len(called) == len(values) == len(keys) == 10_000
assert all((reference() is None) == (index % 2 == 0) for index, reference in enumerate(references))
assert all(values[index].load == [values[index].made] * 0 or values[index].load for index in range(1, 20_000, 2))
del nodes
assert not values and not keys and len(called) == 20_000

gc.disable()
for _ in range(30_000):
    cycle = []
    cycle.append(cycle)
assert gc.collect() >= 30_000 - 1
gc.enable()

threshold = gc.get_threshold()
gc.set_threshold(1)  # a collection inside nearly every allocation
kept = [{step: [step]} for step in range(2_000)]
gc.set_threshold(*threshold)
assert all(item == {step: [step]} for step, item in enumerate(kept))


class Phoenix:
    risen = []

    def __del__(self):
        Phoenix.risen.append(self)


for _ in range(100):
    Phoenix()
assert len(Phoenix.risen) == 100
gc.freeze()
gc.unfreeze()
assert sys.getrefcount(kept) == 2
print("right")
