"""Makes the n-th allocation of a program fail, for n = 0, 1, 2 ... until it runs to its end, in each domain."""

import _testcapi


class Thing:
    def __init__(self, name):
        self.name = name
        self.items = [name] * 3


def work():
    table = {str(step): [step, step / 3] for step in range(20)}
    things = [Thing(name) for name in table]
    text = ",".join(sorted(thing.name for thing in things))
    large = bytearray(100_000)
    large += b"x" * 100_000
    numbers = list(range(2_000))
    del numbers[10:]
    return len(text), len(large), numbers, 7**300


expected = work()
nth = failures = successes = 0
while successes < 3:
    try:
        _testcapi.set_nomemory(nth, nth + 1)
        try:
            found = work()
        finally:
            _testcapi.remove_mem_hooks()
        assert found == expected
        successes += 1
    except MemoryError:
        failures += 1
        successes = 0
    nth += 1
assert failures > 20, failures
assert work() == expected

for start in range(0, 200, 5):  # everything fails from there on
    try:
        _testcapi.set_nomemory(start, 0)
        try:
            work()
        finally:
            _testcapi.remove_mem_hooks()
    except MemoryError:
        pass
assert work() == expected
print("right")
