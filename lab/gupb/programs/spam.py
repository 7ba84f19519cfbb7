# SPDX-License-Identifier: MIT
"""spambayes, a stand-in: the classifier of that name is for Python 2 only and not to be had for Python 3.

This does the same kind of work with code and mail of our own: 64 messages are taken apart into words, each word has a
probability from a training that is done beforehand, and the most telling ones are combined by Fisher's method with the
chi-squared distribution. The mail is drawn from two vocabularies that overlap.
"""

import math
import random
import re

from program import expect, expect_equal, main

COMMON = [f"word{i}" for i in range(2000)]
HAM = [f"meeting{i}" for i in range(1500)]
SPAM = [f"winner{i}" for i in range(1500)]
TOKEN = re.compile(r"[a-z][a-z0-9$'-]{2,}")
TELLING = 150


def message_make(generator, spam, bytes_wanted):
    own = SPAM if spam else HAM
    lines = [f"From: sender{generator.randrange(50)}@example.org", f"Subject: {generator.choice(own)}", ""]
    length = 0
    while length < bytes_wanted:
        line = " ".join(generator.choice(own if generator.random() < 0.2 else COMMON) for _ in range(10))
        lines.append(line.capitalize() + ".")
        length += len(line) + 2
    return "\n".join(lines)


def tokens_of(message):
    """Words of the body, and words of the heading with the heading's name."""
    heading, _, body = message.partition("\n\n")
    for line in heading.splitlines():
        name, _, value = line.lower().partition(":")
        for word in TOKEN.findall(value):
            yield f"{name}:{word}"
    for word in body.lower().split():
        match = TOKEN.match(word)
        if match is not None:
            yield match.group()
        elif len(word) > 12:
            yield f"skip:{word[0]} {len(word) // 10}"


class Classifier:
    def __init__(self):
        self.counts = {}
        self.trained = [0, 0]

    def train(self, message, spam):
        self.trained[spam] += 1
        for token in set(tokens_of(message)):
            self.counts.setdefault(token, [0, 0])[spam] += 1

    def probability(self, token):
        """Of spam, given the word; half for a word never seen, and near that for one seldom seen."""
        counts = self.counts.get(token)
        if counts is None:
            return 0.5
        ham, spam = counts[0] / max(1, self.trained[0]), counts[1] / max(1, self.trained[1])
        seen = counts[0] + counts[1]
        return (0.45 * 0.5 + seen * spam / (ham + spam)) / (0.45 + seen)

    def score(self, message):
        clues = sorted(((abs(p - 0.5), p) for p in map(self.probability, set(tokens_of(message)))), reverse=True)
        chosen = [p for distance, p in clues[:TELLING] if distance > 0.1]
        spam = chi_squared(-2 * sum(math.log(1 - p) for p in chosen), 2 * len(chosen))
        ham = chi_squared(-2 * sum(math.log(p) for p in chosen), 2 * len(chosen))
        return (spam - ham + 1) / 2


def chi_squared(value, freedom):
    """One minus the probability that a sum of so many squares is at least this; freedom is even."""
    half = value / 2
    term = total = math.exp(-half)
    for i in range(1, freedom // 2):
        term *= half / i
        total += term
    return 1 - min(total, 1.0)


def prepare(size):
    generator = random.Random(64)
    classifier = Classifier()
    for number in range(size.pick(200, 40)):
        classifier.train(message_make(generator, number % 2, 4000), number % 2)
    mail = [message_make(generator, number % 2, size.pick(13700, 2000)) for number in range(size.pick(64, 8))]
    for message in mail:  # once, untimed
        classifier.score(message)
    return classifier, mail


def work(loops, prepared):
    classifier, mail = prepared
    for _ in range(loops):
        scores = [classifier.score(message) for message in mail]
    return scores


def check(prepared, scores):
    """Each message was drawn from one of the vocabularies, and it is told which."""
    expect_equal(len(scores), len(prepared[1]), "the number of scores")
    expect(all(0 <= score <= 1 for score in scores), "a score is no probability")
    expect([score > 0.5 for score in scores] == [number % 2 == 1 for number in range(len(scores))], "mail was mistaken")
    return sum(scores)


if __name__ == "__main__":
    main({"spambayes": (prepare, work, check)})
