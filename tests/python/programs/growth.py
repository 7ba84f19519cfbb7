"""Containers that grow to 200 MB by small steps and shrink again, and never lose a thing."""

import array
import collections
import sys

LARGE = 200 << 20


def grow_list():
    """25 million pointers."""
    items = []
    for step in range(LARGE // 8 // 1000):
        items += [step] * 1000
        if step % 1000 == 0:
            assert items[0] == 0 and items[len(items) // 2] == len(items) // 2 // 1000 and items[-1] == step
    assert sys.getsizeof(items) >= LARGE - (1 << 20)
    for step in range(0, len(items), 997):
        assert items[step] == step // 1000
    while len(items) > 100:
        del items[-(len(items) // 10) :]
        assert items[-1] == (len(items) - 1) // 1000
    while items:
        assert items.pop() == 0
    items.append(1)
    assert items == [1]


def grow_list_by_append():
    items = []
    for step in range(3_000_000):
        items.append(step)
    assert items == list(range(3_000_000))
    while len(items) > 1:
        items.pop()
    assert items == [0]


def grow_dict():
    """5 million entries, 160 MB: a table of 8 million slots, with the old one beside it whenever it grows."""
    table = {}
    for step in range(0, 5_000_000, 10):
        for key in range(step, step + 10):
            table[key] = step
    assert sys.getsizeof(table) > 150 << 20
    for key in range(0, 5_000_000, 499):
        assert table[key] == key - key % 10
    assert next(iter(table)) == 0
    for key in range(5_000_000 - 1, 1_000, -1):
        if table.pop(key) != key - key % 10:
            raise AssertionError(key)
    assert table == {key: key - key % 10 for key in range(1_001)}
    small = dict(table)
    table.clear()
    assert len(small) == 1_001 and not table


def grow_bytearray():
    text = bytearray()
    chunk = bytes(range(256)) * 17  # 4352 bytes: no page is ever reached exactly
    steps = LARGE // len(chunk)
    for step in range(steps):
        text += chunk
        text[-1] = step % 251
    assert len(text) == steps * len(chunk)
    for step in range(steps):
        assert text[(step + 1) * len(chunk) - 1] == step % 251
    assert text[: len(chunk) - 1] == chunk[:-1]
    while len(text) > 1000:
        half = len(text) // 2
        last = text[half - 1]
        del text[half:]
        assert text[-1] == last
    # Front deletions move the start, not the bytes.
    for _ in range(10):
        del text[:10]
    assert text[0] == 100


def grow_others():
    numbers = array.array("q")
    for step in range(1_000_000):
        numbers.append(step)
    assert numbers == array.array("q", range(1_000_000))
    line = collections.deque()
    for step in range(1_000_000):
        line.append(step)
        if step % 3 == 0:
            line.popleft()
    assert line[0] == 333_334 and line[-1] == 999_999
    members = set()
    for step in range(1_000_000):
        members.add(step * 7)
    assert len(members) == 1_000_000 and 6_999_993 in members and 5 not in members
    while len(members) > 10:
        members.pop()


for test in (grow_list, grow_list_by_append, grow_dict, grow_bytearray, grow_others):
    test()
print("right")
