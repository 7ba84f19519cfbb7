"""Runs the unittest cases of a file and prints TAP, one line for each test function.

    NAME_test.py LIBRARY [Case | Case.test_function]...      LIBRARY: the adapter, libcubby-python.so

A test's name, with spaces for its underscores, is the sentence that TAP shows. What a failed test has to say follows
its line as comments.
"""

import sys
import unittest


def sentence(test):
    """What a test promises: its name in words."""
    return test.id().rpartition(".")[2].removeprefix("test_").replace("_", " ")


class TapResult(unittest.TestResult):
    """Prints a test's line when the test has ended; failed subtests belong to their test."""

    def __init__(self):
        super().__init__()
        self.complaints = []
        self.reason = None

    def startTest(self, test):
        super().startTest(test)
        self.complaints = []
        self.reason = None

    def stopTest(self, test):
        if self.complaints:
            print(f"not ok {self.testsRun} - {sentence(test)}")
        elif self.reason is not None:
            # The reason stands behind the word SKIP, where every reader of TAP looks for it.
            print(f"ok {self.testsRun} # SKIP {sentence(test)}: {self.reason}")
        else:
            print(f"ok {self.testsRun} - {sentence(test)}")
        for line in "\n".join(self.complaints).splitlines():
            print("#", line)
        sys.stdout.flush()
        super().stopTest(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.complaints.append(self.failures[-1][1])

    def addError(self, test, err):
        super().addError(test, err)
        self.complaints.append(self.errors[-1][1])
        # What fails before a class's tests has no line of its own.
        if not isinstance(test, unittest.TestCase):
            print("#", self.complaints.pop().replace("\n", "\n# "), flush=True)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            complaints = self.failures if issubclass(err[0], test.failureException) else self.errors
            self.complaints.append(f"with {dict(subtest.params)}\n{complaints[-1][1]}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.reason = reason


def flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    loader = unittest.TestLoader()
    module = sys.modules["__main__"]
    names = sys.argv[2:]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    tests = list(flatten(suite))
    print(f"1..{len(tests)}", flush=True)
    result = TapResult()
    unittest.TestSuite(tests).run(result)
    sys.exit(0 if result.wasSuccessful() and result.testsRun == len(tests) else 1)
