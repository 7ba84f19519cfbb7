#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What Python programs do with the standard library: for record.py.

    python3 lab/lists/programs.py NAME

Their input is the library itself, so that nothing else is needed.
"""

import os
import random
import sys

LIBRARY = os.path.dirname(os.__file__)


def sources(count):
    """The text of some of the library's modules, the same ones each time."""
    names = sorted(name for name in os.listdir(LIBRARY) if name.endswith(".py"))
    for name in names[:: max(1, len(names) // count)][:count]:
        with open(os.path.join(LIBRARY, name), encoding="utf-8") as file:
            yield file.read()


def program_ast():
    import ast

    for text in sources(12):
        ast.unparse(ast.parse(text))


def program_difflib():
    import difflib

    first, second = sources(2)
    first, second = first.splitlines()[:600], second.splitlines()[:600]
    for tail in range(0, 600, 100):
        "\n".join(difflib.unified_diff(first, first[:tail] + second[tail:]))


def program_email():
    import email
    import email.mime.multipart
    import email.mime.text

    for text in sources(20):
        message = email.mime.multipart.MIMEMultipart()
        for line in text.splitlines()[:30]:
            message["X-" + str(len(message))] = line.strip()[:60] or "none"
        for part in text.split("\n\n")[:20]:
            message.attach(email.mime.text.MIMEText(part))
        read = email.message_from_string(message.as_string())
        [part.get_payload() for part in read.walk()]


def program_html():
    import html.parser

    class Tree(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.stack = [[]]

        def handle_starttag(self, tag, attributes):
            node = [tag, attributes, []]
            self.stack[-1].append(node)
            self.stack.append(node[2])

        def handle_endtag(self, tag):
            self.stack.pop()

        def handle_data(self, data):
            self.stack[-1].append(data)

    for text in sources(10):
        rows = "".join(f"<tr class='a'><td>{len(line)}</td><td>{line.count(' ')}</td></tr>" for line in text.splitlines())
        Tree().feed(f"<html><body><table>{rows}</table></body></html>")


def program_json():
    import json

    chance = random.Random(1)
    orders = [
        {
            "number": number,
            "lines": [{"item": str(line), "prices": [chance.random() for _ in range(chance.randrange(5))]}
                      for line in range(int(chance.expovariate(0.2)))],
            "tags": [["a", "b"], [], ["c"]],
        }
        for number in range(3000)
    ]
    text = json.dumps(orders)
    for _ in range(3):
        json.dumps(json.loads(text), indent=1)


def program_pickle():
    import pickle

    chance = random.Random(2)
    rows = [[list(range(chance.randrange(20))) for _ in range(chance.randrange(12))] for _ in range(2000)]
    for protocol in (0, 2, 5):
        pickle.loads(pickle.dumps(rows, protocol))


def program_unittest():
    import io
    import unittest

    def case(number):
        def test(self):
            self.assertEqual(sorted(range(number % 50, 0, -1)), list(range(1, number % 50 + 1)))
            self.assertListEqual([[i] * 3 for i in range(5)], [[i, i, i] for i in range(5)])

        return test

    cases = type("Cases", (unittest.TestCase,), {f"test_{number}": case(number) for number in range(1500)})
    unittest.TextTestRunner(io.StringIO()).run(unittest.defaultTestLoader.loadTestsFromTestCase(cases))


def program_tokenize():
    import collections
    import io
    import tokenize

    for text in sources(12):
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        lines = collections.defaultdict(list)
        for token in tokens:
            lines[token.start[0]].append(token.string)
        sorted(lines.values(), key=len)


PROGRAMS = {name[len("program_") :]: value for name, value in globals().items() if name.startswith("program_")}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
