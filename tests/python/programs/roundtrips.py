"""What goes out through an encoder comes back the same."""

import base64
import bz2
import collections
import configparser
import copy
import csv
import datetime
import decimal
import fractions
import io
import json
import lzma
import marshal
import pickle
import random
import re
import struct
import zlib

rng = random.Random(1)


def value(depth):
    kind = rng.randrange(9 if depth else 6)
    if kind == 0:
        return rng.randrange(-(1 << rng.randrange(1, 200)), 1 << 200)
    if kind == 1:
        return rng.uniform(-1e9, 1e9)
    if kind == 2:
        return "".join(chr(rng.choice((65, 233, 0x4E2D, 0x1F40D)) + rng.randrange(9)) for _ in range(rng.randrange(60)))
    if kind == 3:
        return None
    if kind == 4:
        return rng.random() < 0.5
    if kind == 5:
        return ""
    if kind == 6:
        return [value(depth - 1) for _ in range(rng.randrange(12))]
    return {str(rng.random()): value(depth - 1) for _ in range(rng.randrange(12))}


Point = collections.namedtuple("Point", "x y")
for _ in range(150):
    tree = [value(4) for _ in range(8)]
    assert json.loads(json.dumps(tree)) == tree
    assert json.loads(json.dumps(tree, indent=1, ensure_ascii=False)) == tree
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(tree, protocol)) == tree
        assert pickle._loads(pickle._dumps(tree, protocol)) == tree
    assert marshal.loads(marshal.dumps(tree)) == tree
    assert copy.deepcopy(tree) == tree
    assert eval(repr(tree)) == tree
    text = json.dumps(tree)
    raw = text.encode()
    assert base64.b85decode(base64.b85encode(raw)) == raw
    assert zlib.decompress(zlib.compress(raw)) == raw
    assert re.sub(r"(\d)", r"<\1>", text).replace("<", "").replace(">", "") == text.replace("<", "").replace(">", "")

raw = rng.randbytes(300_000) + bytes(700_000)
for codec in (bz2, lzma, zlib):
    assert codec.decompress(codec.compress(raw)) == raw

odd = [Point(1, 2), {1, 2, 3}, frozenset("abc"), datetime.datetime(2016, 1, 21), decimal.Decimal("1.10"),
       fractions.Fraction(1, 3), collections.OrderedDict(a=1), collections.deque(range(1000)), bytearray(b"x" * 9999),
       range(10), complex(1, 2), b"bytes", ..., len]
assert pickle.loads(pickle.dumps(odd)) == odd
shared = [[]] * 1000
assert len({id(item) for item in pickle.loads(pickle.dumps(shared))}) == 1

rows = [[str(rng.random()) for _ in range(10)] for _ in range(5000)]
file = io.StringIO()
csv.writer(file).writerows(rows)
assert list(csv.reader(io.StringIO(file.getvalue()))) == rows
numbers = [rng.uniform(-1, 1) for _ in range(50_000)]
assert list(struct.unpack("50000d", struct.pack("50000d", *numbers))) == numbers
parser = configparser.ConfigParser()
parser.read_dict({str(i): {str(j): str(i * j) for j in range(50)} for i in range(50)})
assert parser["7"]["9"] == "63"
words = ["w%06d" % rng.randrange(10**6) for _ in range(50_000)]
assert re.findall(r"\bw(\d{6})\b", " ".join(words)) == [word[1:] for word in words]
pattern = re.compile("|".join(sorted({word for word in words[:800]})))
assert sum(1 for _ in pattern.finditer(" ".join(words))) == sum(word in set(words[:800]) for word in words)
print("right")
