"""Strings of every width and length, joined, split, sliced, formatted, interned."""

import io
import string
import sys

WIDTHS = {"a": 1, "\u00e9": 1, "\u4e2d": 2, "\U0001f40d": 4}

for letter in WIDTHS:
    for length in [*range(600), *range(600, 70_000, 997), 1_000_000, 20_000_000]:
        text = letter * length
        assert len(text) == length and text.count(letter) == length
        assert (text + "!")[:-1] == text

text = ""
for step in range(300_000):
    text += "x"  # grows in place
assert text == "x" * 300_000
keep = []
text = ""
for step in range(3_000):
    text += str(step)  # another owner each time: it must move
    keep.append(text)
assert all(a == b[: len(a)] for a, b in zip(keep, keep[1:]))

page = "\n".join(" ".join(str(row * column) for column in range(50)) for row in range(2_000))
assert [line.split() for line in page.split("\n")][7][9] == "63"
assert page.encode("utf-16").decode("utf-16") == page
assert page.translate(str.maketrans(string.digits, "abcdefghij")).translate(
    str.maketrans("abcdefghij", string.digits)) == page
assert "".join(sorted(page, reverse=True))[0] == "9"
buffer = io.StringIO()
for line in page.splitlines():
    buffer.write(line)
    buffer.write("\n")
assert buffer.getvalue() == page + "\n"
raw = io.BytesIO()
for line in page.encode().splitlines():
    raw.write(line + b"\n")
assert raw.getvalue().decode() == page + "\n"

names = [sys.intern(f"name_{step % 5_000}") for step in range(50_000)]
assert len({id(name) for name in names}) == 5_000
assert [f"{step:>8}|{step / 3:.3f}|{step!r:<6}" for step in (1, 22)] == ["       1|0.333|1     ", "      22|7.333|22    "]
assert int("9" * 4_000) + 1 == 10**4_000
assert len(str(3**8_000)) == 3_817
print("right")
