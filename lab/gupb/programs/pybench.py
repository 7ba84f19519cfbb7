# SPDX-License-Identifier: MIT
"""pybench: its tests of lists, tuples, dicts, strings, numbers, instances and calls, each a benchmark of its own.

A test is a body that a round does once; a loop of ours is a tenth of the rounds of pybench's full measure ("warp 10").
The time of the empty loop stays in, unlike in pybench: the ratio of two arms is the nearer to 1 for it. The cyclic
collector is off, as it was there.
"""

import gc

from program import expect_equal, main

# Name: rounds of the full measure, what stands before the rounds, the body, what is looked at after the last round, and
# what that must be.
TESTS = {}


def test(name, rounds, before, body, result, expected, repeats=5):
    TESTS[name] = (rounds, before.splitlines(), body.splitlines() * repeats, result, expected)


def lines(*statements):
    return "\n".join(statements)


# Numbers: five sums, five differences, three quotients, three products, three quotients; each the operand of the next.
def arithmetic(name, rounds, a, b, c, expected):
    steps = ["x = a", "y = b", "z = c"]
    steps += ["z = x + y", "z = y + z", "z = x + z", "z = y + x", "z = x + y"]
    steps += ["z = x - y", "z = y - z", "z = x - z", "z = y - x", "z = x - y"]
    steps += ["w = x / y", "w = y / x", "w = x / c", "w = x * y", "w = y * x", "w = x * c"]
    steps += ["v = x / y", "v = y / x", "v = y / c"]
    test(f"Simple{name}Arithmetic", rounds, lines(f"a, b, c = {a}, {b}, {c}"), lines(*steps), "z, w, v", expected)


arithmetic("Integer", 120000, 2, 3, 4, (-1, 8, 0.75))
arithmetic("Float", 120000, 2.5, 3.5, 4.0, (-1.0, 10.0, 0.875))
arithmetic("IntFloat", 120000, 2, 3.5, 4.0, (-1.5, 8.0, 0.875))
arithmetic("Long", 60000, 2**70, 2**69, 2**71, (2**69, 2**141, 0.25))
arithmetic("Complex", 80000, "2+3j", "2+3j", "4+0j", (0j, 8 + 12j, 0.5 + 0.75j))


def comparison(name, rounds, a, b):
    steps = [
        f"{x} {sign} {y}" for sign in ("<", ">", "==", "<=", ">=", "!=") for x, y in ("ab", "ba", "aa", "bb", "ab")
    ]
    steps[-1] = "last = a != b"
    test(f"Compare{name}", rounds, f"a, b = {a}, {b}", lines(*steps), "last, a < b", (True, True))


comparison("Integers", 120000, 2, 3)
comparison("Floats", 80000, 2.1, 3.31)
comparison("FloatsIntegers", 60000, 4, 4.5)
comparison("Longs", 70000, 10**30, 10**30 + 1)

# Calls.
test(
    "PythonFunctionCalls",
    60000,
    lines("def none(): pass", "def one(x): return x", "def three(a, b, c): return a, b, c"),
    lines(*["none()"] * 3, *["one(7)"] * 4, "x = one(8)", *["three(1, 2, 3)"] * 2, "y = three(4, 5, 6)"),
    "x, y",
    (8, (4, 5, 6)),
)
test(
    "ComplexPythonFunctionCalls",
    100000,
    lines("def f(a, b, c, d=1, e=2, f=3): return f", "args = 1, 2", "kwargs = dict(c=3, d=4, e=5)"),
    lines("f(a=1, b=2, c=3, d=4, e=5)", "f(*args, **kwargs)", "f(1, *args, e=6)", "x = f(*args, f=9, **kwargs)"),
    "x",
    9,
)
test(
    "BuiltinFunctionCalls",
    60000,
    "row = [3, 1, 2]",
    lines(
        *["globals()", "hash(1)", "id(row)"] * 2,
        *["list(row)", "range(1, 2)", "len(row)", "abs(-1)"] * 2,
        "x = len(list(row))",
        "y = max(row)",
        "z = sum(row)",
    ),
    "x, y, z",
    (3, 3, 6),
)
test(
    "PythonMethodCalls",
    30000,
    lines(
        "class C:",
        " x, s = 2, 'string'",
        " def none(self): return self.x",
        " def two(self, a, b): self.y = a; self.t = b",
        " def three(self, a, b, c=3): return a, b, c",
        "o = C()",
    ),
    lines(*["o.none()"] * 6, *["o.two(1, 2)"] * 3, "o.two(o.s, 4)", *["o.three(1, 2)"] * 4, "r = o.three(1, 2, c=5)"),
    "r, o.y, o.t",
    ((1, 2, 5), "string", 4),
)
test("Recursion", 100000, lines("def f(n):", " if n > 1: return f(n - 1) + n", " return 1"), "x = f(10)", "x", 55)

# Lists.
test(
    "SimpleListManipulation",
    130000,
    "row = []",
    lines(
        *[f"row.append({i})" for i in (2, 3, 4, 2, 3, 4)],
        *[f"row[{i}] = {i + 3}" for i in range(6)],
        *[f"row[{i}]" for i in range(6)],
        "if len(row) > 10000: del row[:]",
        "else: kept = row[0], row[5], row[-1]",
    ),
    "kept",
    (3, 8, 4),
)
test(
    "ListSlicing",
    800,
    "hundred = list(range(100))",
    lines(
        "row = hundred[:]",
        "for _ in range(25):",
        " a = row[50:]",
        " b = row[:25]",
        " c = row[50:55]",
        " row[:3] = hundred",
        " d = row[:-1]",
        " e = row[1:]",
        " row[-1:] = hundred",
    ),
    "len(row), len(a), len(b), c[0] == row[50], len(d), len(e), row[-1]",
    (100 + 25 * 196, 100 + 24 * 196 - 50, 25, True, 100 + 24 * 196 + 96, 100 + 24 * 196 + 96, 99),
    repeats=1,
)
test(
    "SmallLists",
    80000,
    "",
    lines(
        "row = []",
        *[f"row.append({i})" for i in (2, 3, 4, 2, 3, 4)],
        *[f"row[{i}] = {i + 3}" for i in range(6)],
        "row[:3] = [1, 2, 3]",
        "m = row[:-1]",
        "m = row[1:]",
        "row[-1:] = [4, 5, 6]",
    ),
    "row, m",
    ([1, 2, 3, 6, 7, 4, 5, 6], [2, 3, 6, 7, 8]),
)
test(
    "SimpleListComprehensions",
    20000,
    "row = list(range(10)) * 10",
    lines("a = [x for x in row]", "b = [y for y in row if y]", "c = [z for z in row if not z]"),
    "len(a), len(b), len(c)",
    (100, 90, 10),
    repeats=2,
)
test(
    "NestedListComprehensions",
    20000,
    lines("m = list(range(10))", "n = list(range(10))"),
    lines(
        "a = [x for x in n for y in m]", "b = [y for x in n for y in m if y]", "c = [x for x in n for y in m if not y]"
    ),
    "len(a), len(b), len(c)",
    (100, 90, 10),
    repeats=2,
)

# Tuples.
test(
    "TupleSlicing",
    500,
    "row = tuple(range(100))",
    lines(
        "for _ in row:",
        *[" a = row[50:]; b = row[:25]; c = row[50:55]; d = row[:-1]; e = row[1:]; f = row[-10:]; g = row[:10]"] * 7,
    ),
    "[len(part) for part in (a, b, c, d, e, f, g)], f[0]",
    ([50, 25, 5, 99, 99, 10, 10], 90),
    repeats=1,
)
test(
    "SmallTuples",
    90000,
    "",
    lines(
        "t = (1, 2, 3, 4, 5, 6)",
        *["a, b, c, d, e, f = t"] * 3,
        *["a, b, c = t[:3]", "d, e, f = t[3:]"] * 3,
        "row = list(t)",
        "t = tuple(row)",
    ),
    "t, row, (a, b, c, d, e, f)",
    ((1, 2, 3, 4, 5, 6), [1, 2, 3, 4, 5, 6], (1, 2, 3, 4, 5, 6)),
)

# Dicts.
test(
    "DictCreation",
    80000,
    "",
    lines(*["d = {}"] * 5, *[f"d = {{1: 2, 3: 4, 5: {i}}}" for i in range(5)]),
    "d",
    {1: 2, 3: 4, 5: 4},
)


def keyed(name, rounds, keys):
    stores, loads = [f"d[{key!r}] = {i}" for i, key in enumerate(keys)], [f"d[{key!r}]" for key in keys]
    test(f"DictWith{name}Keys", rounds, "d = {}", lines(*stores, *loads), "d", {key: i for i, key in enumerate(keys)})


keyed("String", 200000, ("abc", "def", "ghi", "jkl", "mno", "pqr"))
keyed("Float", 150000, (1.234, 2.345, 3.456, 4.567, 5.678, 6.789))
keyed("Integer", 200000, (1, 2, 3, 4, 5, 6))
test(
    "SimpleDictManipulation",
    100000,
    "d = {}",
    lines(
        *[f"d[{i}] = {i + 3}" for i in range(6)],
        *[f"x = d[{i}]" for i in range(6)],
        *[f"{i} in d" for i in range(6)],
        *[f"del d[{i}]" for i in range(6)],
    ),
    "d, x",
    ({}, 8),
)

# Instances: three empty ones, seven with three attributes, four with six.
CLASSES = lines(
    "class Empty{base}:",
    " pass",
    "class Three{base}:",
    " version = 1",
    " def __init__(self, a, b, c):",
    "  self.a = a; self.b = b; self.c = c",
    "class Six{base}:",
    " version = 2",
    " def __init__(self, a, b, c):",
    "  self.a = a; self.b = b; self.c = c; self.d = a; self.e = b; self.f = c",
)
INSTANCES = lines(
    *[f"o{i} = Empty()" for i in range(3)],
    *[f"o{i} = Three({i}, {i}, {i})" for i in range(3, 7)],
    *[f"p{i} = Three(o3, o3, {{}})" for i in range(3)],
    *[f"q{i} = Six({i}, o3, p1)" for i in range(4)],
)
SEEN = "sorted(vars(q3)), q3.e is o3, q3.f is p1, vars(p0)['c'], vars(o0)"
EXPECTED = (["a", "b", "c", "d", "e", "f"], True, True, {}, {})
test("CreateInstances", 80000, CLASSES.format(base=""), INSTANCES, SEEN, EXPECTED, repeats=1)
# Classes with `object` as base were another kind in Python 2; in Python 3 the two tests do the same.
test("CreateNewInstances", 60000, CLASSES.format(base="(object)"), INSTANCES, SEEN, EXPECTED, repeats=1)

# Strings.
test(
    "ConcatStrings",
    100000,
    lines("s = ''.join(map(str, range(100)))", "t = ''.join(map(str, range(1, 101)))"),
    lines(*["r = t + s", "r = s + t"] * 5),
    "len(r), r[:3], r[-3:]",
    (382, "012", "100"),
)
test(
    "CompareStrings",
    200000,
    lines("s = ''.join(map(str, range(10)))", "t = ''.join(map(str, range(10))) + 'abc'"),
    lines(*["t < s", "t > s", "t == s"] * 3, "x = t > s"),
    "x, s == s[:], s is t",
    (True, True, False),
)
test(
    "CompareInternedStrings",
    300000,
    lines("import sys", "s = sys.intern('-'.join(map(str, range(10))))", "t = s"),
    lines(*["t == s", "t >= s", "t <= s"] * 3, "x = t == s"),
    "x, s is t",
    (True, True),
)
test(
    "CreateStringsWithConcat",
    200000,
    "",
    lines("s = 'om'", *[f"s = s + {part!r}" for part in ("xbx", "xcx", "xdx", "xex")] * 2, "s = s + 'xax'"),
    "s",
    "om" + "xbxxcxxdxxex" * 2 + "xax",
)
test(
    "StringSlicing",
    160000,
    "s = ''.join(map(str, range(100)))",
    lines("s[50:]", "s[:25]", "s[50:55]", "s[-1:]", "s[:1]", "s[2:]", "r = s[11:-11]"),
    "len(r), r[0]",
    (168, "0"),
)
test(
    "StringMappings",
    70000,
    lines(
        "s = ''.join(map(chr, range(20)))",
        "t = ''.join(map(chr, range(50)))",
        "u = ''.join(map(chr, range(100)))",
        "v = ''.join(map(chr, range(256)))",
    ),
    lines(*["s.lower()", "s.upper()", "s.title()", "t.lower()", "t.upper()", "u.upper()"], "r = v.lower()"),
    "r[65:91], len(r)",
    ("abcdefghijklmnopqrstuvwxyz", 256),
)
test(
    "StringPredicates",
    100000,
    "data = 'abc', '123', '   ', '\\u1234\\u2345', 'Abc', '' ",
    lines(
        "s = data[0]",
        "a = s.isalnum(), s.isalpha(), s.isdigit()",
        "s = data[1]",
        "b = s.isalnum(), s.isdigit(), s.isupper()",
        "s = data[2]",
        "c = s.isspace(), s.istitle(), s.islower()",
    ),
    "a, b, c",
    ((True, True, False), (True, True, False), (True, False, False)),
)


def benchmark(name):
    rounds, before, body, result, expected = TESTS[name]
    source = ["def work(rounds):"] + [f" {line}" for line in before] + [" for _ in range(rounds):"]
    source += [f"  {line}" for line in body] + [f" return {result}"]

    def prepare(size):
        scope = {}
        exec("\n".join(source), scope)
        return scope["work"], size.pick(rounds // 10, max(1, rounds // 5000))

    def work(loops, prepared):
        function, rounds = prepared
        gc.disable()
        result = function(loops * rounds)
        gc.enable()
        return result

    def check(prepared, result):
        expect_equal(result, expected, "what is left of the last round")
        return repr(result)[:60]

    return prepare, work, check


def whole():
    """The row `pybench` of the tables: one after the other, all tests that are here."""
    benchmarks = [benchmark(name) for name in TESTS]

    def prepare(size):
        return [prepare(size) for prepare, _, _ in benchmarks]

    def work(loops, prepared):
        return [work(loops, own) for (_, work, _), own in zip(benchmarks, prepared)]

    def check(prepared, results):
        for (_, _, check), own, result in zip(benchmarks, prepared, results, strict=True):
            check(own, result)
        return len(results)

    return prepare, work, check


if __name__ == "__main__":
    main({"pybench": whole(), **{name: benchmark(name) for name in TESTS}})
