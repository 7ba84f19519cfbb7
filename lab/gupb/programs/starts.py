# SPDX-License-Identifier: MIT
"""Whole programs, started again and again: normal_startup, startup_nosite, bzr_startup, 2to3.

Their environment is that of this process, so that they are on the same allocator. bzr_startup takes Breezy (brz), which
came after Bazaar, where the command for help is the same. 2to3 translates files of ours, which it is given as text that
Python 2 would have run: in 2016 it was files of others.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

from program import expect, expect_equal, main, need

SPAWNS = 20


def spawn_prepare(*options):
    def prepare(size):
        return size.pick(SPAWNS, 2), [sys.executable, *options, "-c", ""]

    return prepare


def spawn_work(loops, prepared):
    times, command = prepared
    return [subprocess.run(command, capture_output=True).returncode for _ in range(loops * times)]


def spawn_check(prepared, statuses):
    """They all ended well; and one of the same command sees its options, and what is preloaded here."""
    expect(len(statuses) % prepared[0] == 0 and statuses and not any(statuses), "a start failed")
    command = prepared[1][:-1]
    asked = "import os, sys; print(sys.flags.no_site, os.environ.get('LD_PRELOAD', ''))"
    said = subprocess.run([*command, asked], capture_output=True, text=True, check=True).stdout
    expect_equal(said, f"{int('-S' in command)} {os.environ.get('LD_PRELOAD', '')}\n", "what was started")
    return len(statuses)


def help_prepare(size):
    if importlib.util.find_spec("breezy") is None:
        need("brz")
    home = tempfile.TemporaryDirectory(prefix="bzr-")
    return [sys.executable, "-m", "breezy", "help"], {**os.environ, "BRZ_HOME": home.name, "BRZ_LOG": os.devnull}, home


def help_work(loops, prepared):
    for _ in range(loops):
        result = subprocess.run(prepared[0], env=prepared[1], capture_output=True, text=True)
    return result


def help_check(prepared, result):
    expect_equal(result.returncode, 0, f"the status of brz help ({result.stderr:.200})")
    expect("brz init" in result.stdout and "brz help commands" in result.stdout, "this is not the help")
    return len(result.stdout)


# A module of Python 2, of which each line is translated, and the fixer that does it.
OLD = '''"""Module {number}."""
import urllib2, ConfigParser
from itertools import imap

class Store(object):
    __metaclass__ = type

    def load(self, path, limit=0777, default=10L):
        try:
            data = open(path).read()
        except IOError, error:
            raise ValueError, "cannot load %s" % error
        for key, value in self.items.iteritems():
            if self.known.has_key(key) and value <> u"nothing":
                print "kept", key, `value`
        numbers = map(lambda (a, b): a + b, zip(xrange(limit), range(default)))
        exec "names = {{}}"
        return filter(None, numbers), raw_input("more? "), unicode(data)

def main_{number}():
    store = Store()
    print >>store.log, "started"
    print reduce(lambda a, b: a + b, apply(store.load, ("a", 1)))
'''
NEW = (
    "import urllib.request, urllib.error, urllib.parse, configparser",
    "class Store(object, metaclass=type):",
    "limit=0o777, default=10):",
    "except IOError as error:",
    'raise ValueError("cannot load %s" % error)',
    'if key in self.known and value != "nothing":',
    'print("kept", key, repr(value))',
    "numbers = [a_b[0] + a_b[1] for a_b in zip(range(limit), list(range(default)))]",
    "return [_f for _f in numbers if _f]",
    'exec("names = {}")',
    'input("more? "), str(data)',
    'print("started", file=store.log)',
    "from functools import reduce",
    'store.load(*("a", 1))',
)


def translate_prepare(size):
    if importlib.util.find_spec("lib2to3") is None or importlib.util.find_spec("lib2to3.main") is None:
        need("python3-lib2to3")
    folder = tempfile.TemporaryDirectory(prefix="2to3-")
    count = size.pick(36, 1)
    for number in range(count):
        with open(f"{folder.name}/module{number}.py", "w", encoding="ascii") as file:
            file.write(OLD.format(number=number))
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "lib2to3",
        "-f",
        "all",
        "-w",
        "-n",
        "-o",
        f"{folder.name}/new",
        "--no-diffs",
        folder.name,
    ]
    return command, folder, count


def translate_work(loops, prepared):
    command, folder, count = prepared
    for _ in range(loops):
        shutil.rmtree(f"{folder.name}/new", ignore_errors=True)
        subprocess.run(command, capture_output=True, check=True)
    return sorted(os.listdir(f"{folder.name}/new"))


def translate_check(prepared, names):
    _, folder, count = prepared
    expect_equal(len(names), count, "the number of files")
    for name in names:
        with open(f"{folder.name}/new/{name}", encoding="ascii") as file:
            text = file.read()
        for line in NEW:
            expect(line in text, f"{name} has no {line}")
        compile(text, name, "exec")
    return len(names)


if __name__ == "__main__":
    main(
        {
            "normal_startup": (spawn_prepare(), spawn_work, spawn_check),
            "startup_nosite": (spawn_prepare("-S"), spawn_work, spawn_check),
            "bzr_startup": (help_prepare, help_work, help_check),
            "2to3": (translate_prepare, translate_work, translate_check),
        }
    )
