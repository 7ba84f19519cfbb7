"""Where memory is limited: MemoryError when the limit is reached, and the program goes on as if nothing had been.

With the argument `untouched` it takes only what it hardly touches: a limit may be as large as the machine's memory.
"""

import sys


def refused(function, *arguments):
    try:
        function(*arguments)
    except MemoryError:
        return True
    return False


def work():
    items = [(step, str(step), [step] * (step % 50)) for step in range(20_000)]
    assert all(item == (step, str(step), [step] * (step % 50)) for step, item in enumerate(items))


def grow_list():
    items = []
    while True:
        items.append(bytearray(100_000))
        items[-1][0] = items[-1][-1] = len(items) % 256


def grow_one(kind):
    """What is too large to grow is as it was before."""
    chunk = kind([1]) * (1 << 20)
    whole = kind()
    try:
        while True:
            whole += chunk
    except MemoryError:
        assert whole and len(whole) % len(chunk) == 0 and whole.count(1) == len(whole)
        raise


def grow_dict():
    table = {}
    try:
        for key in range(100_000_000):
            table[key] = None
    except MemoryError:
        assert table[0] is None and next(reversed(table)) == len(table) - 1
        raise


def grow_small():
    items = []
    while True:
        items.append((len(items) / 3,))


for _ in range(100):
    assert refused(bytearray, 10**10)
    assert refused(lambda: [0] * 10**10)
    assert refused(lambda: "x" * 10**10)
work()
touching = [lambda: grow_one(bytearray), lambda: grow_one(list), grow_dict, grow_small]
for test in [grow_list, *(touching if sys.argv[1:] != ["untouched"] else []), grow_list]:
    assert refused(test)
    work()
print("right")
