# SPDX-License-Identifier: MIT
"""What the tests of the command share: a list of tests, and TAP of their results."""

import traceback

TESTS = []


def test(function):
    """Adds a test, whose name is its sentence. It may return why it was skipped."""
    TESTS.append(function)
    return function


def main():
    """Runs the tests in order. Returns the exit status."""
    print(f"1..{len(TESTS)}", flush=True)
    failed = 0
    for number, function in enumerate(TESTS, 1):
        name = function.__name__.replace("_", " ")
        try:
            skipped = function()
            print(f"ok {number} # SKIP {name}: {skipped}" if skipped else f"ok {number} - {name}", flush=True)
        except Exception:  # each test is reported by itself
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            traceback.print_exc()
    return 1 if failed else 0
