#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Records what lists of real Python programs go through.

    python3 lab/lists/record.py build/lab/lists/liblists-record.so [FOLDER]

Runs each program of programs.py in an interpreter with the recorder preloaded, and writes FOLDER/NAME.txt
(lab/lists/histories): each different life of a list, and how many lists had it, the most frequent first. What a line
means is in record.c. Lists of the interpreter's own start are among them, as they are in any program.
"""

import collections
import os
import subprocess
import sys
import tempfile

import programs

HERE = os.path.dirname(os.path.abspath(__file__))


def record(recorder, name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lists")
        environment = {"PATH": "/usr/bin:/bin", "LD_PRELOAD": os.path.abspath(recorder), "LISTS_RECORD": path,
                       "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        command = ["/usr/bin/python3", "-E", os.path.join(HERE, "programs.py"), name]
        subprocess.run(command, env=environment, check=True)
        with open(path, encoding="ascii") as file:
            return collections.Counter(line.rstrip("\n") for line in file)


def main():
    if not 2 <= len(sys.argv) <= 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.join(HERE, "histories")
    for name in programs.PROGRAMS:
        lives = record(sys.argv[1], name)
        with open(os.path.join(folder, name + ".txt"), "w", encoding="ascii") as file:
            for life, count in sorted(lives.items(), key=lambda entry: (-entry[1], entry[0])):
                file.write(f"{count} {life}\n")
        print(f"{name}: {sum(lives.values())} lists, {len(lives)} different lives")
    return 0


if __name__ == "__main__":
    sys.exit(main())
