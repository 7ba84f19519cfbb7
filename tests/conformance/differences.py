# SPDX-License-Identifier: MIT
"""Compares the outcomes in the arms: which differences are there, which of them come back, which have a reason."""

import fnmatch
import pathlib
import threading

from runs import PASSED, WrongUse

# After a first difference a module runs this many times more.
RERUNS = 2


class Difference:
    """A test that passes on stock and not in an arm. A module that died takes all its tests along: lost counts them."""

    def __init__(self, module, name, arm, what, note="", lost=0):
        self.module = module
        self.name = name
        self.arm = arm
        self.what = what
        self.note = note
        self.lost = lost
        self.size = 1 + lost  # what it counts for
        self.reason = None  # of an expected one
        self.unsteady = None  # why it is none after all
        self.runs = 1

    def line(self):
        text = f"{self.arm:<7} {self.name}: {self.what}"
        if self.note:
            text += f": {self.note}"
        if self.lost:
            text += f"; {self.lost} tests that pass on stock have no result"
        return text


def compare(stock, other, arm):
    """The tests that pass on stock and not in the arm."""
    if stock.has_died():
        return []
    passed = stock.passed()
    if other.has_died():
        return [Difference(stock.module, stock.module, arm, other.ending, lost=len(passed - {stock.module}))]
    return [
        Difference(stock.module, name, arm, other.state(name), other.notes.get(name, ""))
        for name in sorted(passed)
        if other.state(name) != PASSED
    ]


class Expected:
    """The list of differences that have a reason: a pattern of ids and the reason, one a line."""

    def __init__(self, path):
        self.entries = {}
        self.used = set()
        self.met = set()
        try:
            lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise WrongUse(f"{path}: {error.strerror}; name a file with --expected=FILE") from None
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            pattern, _, reason = line.strip().partition(" ")
            if not reason.strip():
                raise WrongUse(f"{path}:{number}: no reason after {pattern}; write PATTERN REASON")
            self.entries[pattern] = reason.strip()

    def reason(self, name):
        for pattern, reason in self.entries.items():
            if fnmatch.fnmatchcase(name, pattern):
                self.used.add(pattern)
                return reason
        return None

    def meet(self, names):
        """Remembers which entries speak of tests that pass on stock here."""
        for pattern in self.entries:
            if pattern not in self.met and fnmatch.filter(names, pattern):
                self.met.add(pattern)

    def outdated(self):
        return sorted(self.met - self.used)


class Comparison:
    """All modules in all arms."""

    def __init__(self, runner, arms, expected, output):
        self.runner = runner
        self.arms = arms
        self.expected = expected
        self.output = output
        self.modules = {}
        self.differences = []
        self.lock = threading.Lock()

    def keep(self, result, arm, number):
        self.output.mkdir(parents=True, exist_ok=True)
        (self.output / f"{result.module}.{arm}.{number}.txt").write_text(result.text, encoding="utf-8")

    def do_module(self, module):
        stock = self.runner.run(module, "stock")
        results = {"stock": stock}
        if stock.has_died():
            self.keep(stock, "stock", 1)
        differences = []
        for arm in self.arms if not stock.has_died() else []:
            results[arm] = self.runner.run(module, arm)
            found = compare(stock, results[arm], arm)
            self.explain(found)
            if found:
                self.keep(results[arm], arm, 1)
            differences += found + self.run_again(module, arm, found)
        with self.lock:
            # Where an arm told no results, nothing is known of the tests that are expected to differ.
            if not any(result.has_died() for result in results.values()):
                self.expected.meet(stock.passed())
            self.modules[module] = results
            self.differences += differences

    def explain(self, differences):
        with self.lock:
            for difference in differences:
                difference.reason = self.expected.reason(difference.name)

    def run_again(self, module, arm, differences):
        """
        A difference is one that comes back. A death is one even when it does not, unless stock dies, too. Returns the
        further differences of a module that first told no results and then did.
        """
        further = []
        for number in range(2, RERUNS + 2):
            open_differences = [one for one in differences + further if one.reason is None and one.unsteady is None]
            if not open_differences:
                break
            stock = self.runner.run(module, "stock", verbose=True)
            again = self.runner.run(module, arm, verbose=True)
            self.keep(again, arm, number)
            for difference in open_differences:
                difference.runs = number
                dies = difference.what.startswith("died")
                if stock.has_died() or (stock.state(difference.name) != PASSED and not dies):
                    difference.unsteady = "stock does not always pass it either"
                elif again.state(difference.name) == PASSED and not dies:
                    difference.unsteady = f"passed in run {number}"
            if differences[0].lost and not again.has_died() and not further:
                further = compare(stock, again, arm)
                self.explain(further)
                differences[0].size -= len(further)
        return further

    def counts(self, arm):
        """Tests passing on stock, as on stock, expected to differ, unsteady, different; of this arm."""
        on_stock = sum(
            len(results["stock"].passed()) for results in self.modules.values() if not results["stock"].has_died()
        )
        expected = unsteady = different = 0
        for difference in self.differences:
            if difference.arm == arm:
                if difference.reason is not None:
                    expected += difference.size
                elif difference.unsteady is not None:
                    unsteady += difference.size
                else:
                    different += difference.size
        return on_stock, on_stock - expected - unsteady - different, expected, unsteady, different
