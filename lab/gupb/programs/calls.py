# SPDX-License-Identifier: MIT
"""The call family: chains of functions or methods that do nothing but call the next one twenty times.

call_simple calls functions, call_method methods of one object, call_method_slots those of a class without a dict,
call_method_unknown methods of three classes in turn, so that no call meets the class of the one before.
"""

from program import expect_equal, main

PARAMETERS = ("a, b, c, d", "a, b, c", "a, b", "a", "")


def chain(prefix, owner, counted):
    """Source of five functions, of which each calls the next twenty times, unrolled."""
    lines = []
    for level, names in enumerate(PARAMETERS):
        header = ", ".join(part for part in (owner, names) if part)
        lines.append(f"def step{level}({header}):")
        if counted:
            lines.append(f" COUNT[{level}] += 1")
        following = f" {prefix}step{level + 1}({PARAMETERS[level + 1] if level < 4 else ''})"
        lines += [following] * 20 if level < 4 else [" return None"]
    return "\n".join(lines)


def unknown(counted):
    """Source of three classes with the same methods; their instances are handed on in four orders."""
    lines = []
    orders = ("b, c, a", "c, a, b", "b, a, c", "a, c, b")
    for name in ("First", "Second", "Third"):
        lines.append(f"class {name}:")
        for level in range(5):
            lines.append(f" def step{level}(self, a, b, c):")
            if counted:
                lines.append(f"  COUNT[{level}] += 1")
            calls = [f"  a.step{level + 1}({orders[call % 4]})" for call in range(20)]
            lines += calls if level < 4 else ["  return None"]
    return "\n".join(lines)


def source(name, counted):
    if name == "call_simple":
        return chain("", "", counted), "step0(1, 2, 3, 4)"
    if name == "call_method_unknown":
        return unknown(counted), "a.step0(b, c, a)"
    slots = "\n __slots__ = ()" if name == "call_method_slots" else ""
    body = chain("self.", "self", counted).replace("\n", "\n ")
    return f"class Chain:{slots}\n {body}", "chain.step0(1, 2, 3, 4)"


def build(name, times, counted):
    """The driver: a function of loops that makes `times` first calls a loop."""
    classes, call = source(name, counted)
    setup = {"call_simple": "pass", "call_method_unknown": "a, b, c = First(), Second(), Third()"}
    lines = [classes, "def work(loops):", f" {setup.get(name, 'chain = Chain()')}", " for _ in range(loops):"]
    scope = {"COUNT": [0] * 5}
    exec("\n".join(lines + [f"  {call}"] * times), scope)
    return scope["work"], scope["COUNT"]


def benchmark(name, first_calls):
    def prepare(size):
        times = size.pick(first_calls, 1)
        return times, build(name, times, False)[0]

    def work(loops, prepared):
        prepared[1](loops)
        return prepared

    def check(prepared, result):
        """The same source once more, with counters in it, which must come to twenty times as many a level."""
        expect_equal(result, prepared, "the driver")
        function, count = build(name, 1, True)
        function(1)
        expect_equal(count, [20**level for level in range(5)], "calls by level")
        return sum(count) * prepared[0]

    return prepare, work, check


if __name__ == "__main__":
    numbers = {"call_simple": 20, "call_method": 20, "call_method_slots": 20, "call_method_unknown": 18}
    main({name: benchmark(name, times) for name, times in numbers.items()})
