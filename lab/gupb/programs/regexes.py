# SPDX-License-Identifier: MIT
"""The regex family: regex_effbot, regex_v8, regex_compile. Patterns and subjects are ours, of the kinds described."""

import random
import re

from program import expect, expect_equal, main, unrolled

PADS = (0, 5, 50, 250, 1000, 5000, 10000)
# Pattern, core of the subject, what pads it on both sides.
SHAPES = (
    ("Python|Perl", "Perl", "-"),
    ("(Python|Perl)", "Perl", "-"),
    ("(?:Python|Perl)", "Perl", "-"),
    ("Python|Perl|Tcl", "Perl", "-"),
    ("(Python|Perl|Tcl)", "Perl", "-"),
    ("(?:Python|Perl|Tcl)", "Perl", "-"),
    ("(Python)\\1", "PythonPython", "-"),
    ("(?:Python)+", "PythonPython", "-"),
    ("([0a-z][a-z0-9]*,)+", "a5,b7,c9,", "-"),
    ("(?:[0a-z][a-z0-9]*,)+", "a5,b7,c9,", "-"),
    ("([a-z][a-z0-9]*,)+", "a5,b7,c9,", "-"),
    ("(?:[a-z][a-z0-9]*,)+", "a5,b7,c9,", "-"),
    ("Python", "Python", "-"),
    (".*Python", "Python", "-"),
    (".*Python.*", "Python", "-"),
    (".*(Python)", "Python", "-"),
    (".*(Python).*", "Python", "-"),
    ("(.*)Python", "Python", "-"),
    ("Python|Perl", "Perl", "P"),
    ("(Python|Perl)", "Perl", "P"),
    ("P.*y.*t.*h.*o.*n", "Python", "P"),
)


def effbot_pairs():
    """Compiled pattern, subject, and the core of the subject."""
    return [(re.compile(pattern), pad * n + core + pad * n, core) for n in PADS for pattern, core, pad in SHAPES]


def effbot_prepare(size):
    pairs = effbot_pairs()
    return pairs if not size.quick else pairs[: 4 * len(SHAPES)]


EFFBOT = unrolled("result = search(pattern, text)", 10, "search, pattern, text")


def effbot_work(loops, pairs):
    for _ in range(loops):
        found = [EFFBOT(1, re.search, pattern, text) for pattern, text, _ in pairs]
    return found


def effbot_check(pairs, found):
    """Each match has the core of its subject in it, or the beginning of that."""
    for (pattern, text, core), match in zip(pairs, found, strict=True):
        expect(match is not None, f"{pattern.pattern} was not found")
        expect(match.re is pattern and match.string is text, f"{pattern.pattern} was searched elsewhere")
        expect(match.start() <= text.find(core) < match.end(), f"{pattern.pattern} was found elsewhere")
    return sum(match.end() for match in found)


ATOMS = ("[a-z]+", "\\s+", "\\d{1,3}", "(?:ab|cd|ef)", '[^<>"]*?', "(\\w+)=", "\\b", "[;,&]", "#[0-9a-f]{3}", "(\\.|-)")
WORDS = (
    "heap",
    "span",
    "pool",
    "block",
    "table",
    "index=7",
    "color:#9ac;",
    "width: 120px",
    "<b>text</b>",
    "a.b-c",
    "abcd",
)
# How often the parts of a block are done: few very often, many hardly ever.
REPEATS = (6511, 1844, 739, 598, 454, 352, 312, 282, 177, 170, 144, 139)


def v8_blocks():
    """Twelve blocks; each has patterns, compiled or as text, and subjects. In all 95, 135 and 99 long ones."""
    generator = random.Random(8)

    def pattern():
        return "".join(generator.choice(ATOMS) for _ in range(generator.randrange(2, 5)))

    def subject(length):
        words = []
        while sum(map(len, words)) + len(words) < length:
            words.append(generator.choice(WORDS))
        return " ".join(words)

    def different(count):
        texts = dict.fromkeys(pattern() for _ in range(count))
        while len(texts) < count:
            texts[pattern()] = None
        return list(texts)

    compiled, literal = different(95), different(135)
    long_ones = [subject(min(4196, int(10 * generator.paretovariate(0.55)))) for _ in range(99)]
    blocks = []
    for number, times in enumerate(REPEATS):
        blocks.append(
            ([re.compile(text) for text in compiled[number::12]], literal[number::12], long_ones[number::12], times)
        )
    return blocks


def v8_turns(block, share, search, substitute, module_search, module_substitute):
    """A block: two thirds of its operations search, a third replaces; one in nine goes through the module."""
    compiled, literals, subjects, times = block
    matches = length = done = 0
    for turn in range(max(1, int(times * share))):
        own = compiled[turn % len(compiled)]
        text = subjects[turn % len(subjects)] if turn % 8 == 0 else WORDS[turn % len(WORDS)]
        matches += search(own, text) is not None
        done += 1
        if turn % 2 == 0:
            length += len(substitute(own, "*", text))
            done += 1
        if turn % 4 == 0:
            literal = literals[turn // 4 % len(literals)]
            text = WORDS[turn // 4 % len(WORDS)]
            matches += module_search(literal, text) is not None
            length += len(module_substitute(literal, "", text))
            done += 2
    return matches, length, done


def v8_prepare(size):
    return v8_blocks(), size.pick(1.0, 0.02)


def v8_work(loops, prepared):
    blocks, share = prepared
    for _ in range(loops):
        totals = [v8_turns(block, share, re.Pattern.search, re.Pattern.sub, re.search, re.sub) for block in blocks]
    return totals


def v8_check(prepared, totals):
    """Every operation once more, with patterns of another make: each goes through finditer()."""
    blocks, share = prepared

    def search(pattern, text):
        return next(re.finditer(pattern, text), None)

    def substitute(pattern, new, text):
        place, parts = 0, []
        for match in re.finditer(pattern, text):
            parts += [text[place : match.start()], new]
            place = match.end()
        return "".join(parts + [text[place:]])

    again = [v8_turns(block, share, search, substitute, search, substitute) for block in blocks]
    expect_equal(totals, again, "matches and lengths")
    return [sum(part) for part in zip(*totals)]


def compile_prepare(size):
    """The patterns that the other two hand to re, as often as they do; most of them are compiled objects already."""
    entries = [pattern for pattern, *_ in SHAPES] + [pattern for pattern, *_ in effbot_pairs() for _ in range(10)]
    for compiled, literals, _, times in v8_blocks():
        entries += [pattern.pattern for pattern in compiled]
        entries += [literals[turn % len(literals)] for turn in range(0, times // 4)]
    return entries if not size.quick else entries[:20] + entries[-100:]


def compile_work(loops, entries):
    for _ in range(loops):
        compiled = []
        for entry in entries:
            re.purge()
            compiled.append(re.compile(entry))
    return compiled


def compile_check(entries, compiled):
    for entry, result in zip(entries, compiled, strict=True):
        text = entry if isinstance(entry, str) else entry.pattern
        expect(isinstance(result, re.Pattern) and result.pattern == text, f"{text} came out as {result!r:.60}")
    return len(compiled)


if __name__ == "__main__":
    main(
        {
            "regex_effbot": (effbot_prepare, effbot_work, effbot_check),
            "regex_v8": (v8_prepare, v8_work, v8_check),
            "regex_compile": (compile_prepare, compile_work, compile_check),
        }
    )
