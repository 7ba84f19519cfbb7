"""tools/summary counts test functions, takes no run for a good one that was not, and keeps what failed by name."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class SummaryTestCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_summary(self, *arguments):
        ran = subprocess.run(
            [ROOT / "tools/summary", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        return ran.returncode, ran.stdout.strip()

    def count(self, *tests):
        log = self.folder / "testlog.json"
        log.write_text("".join(json.dumps(test) + "\n" for test in tests))
        return self.run_summary(log)


class Summary(SummaryTestCase):
    def test_each_function_of_a_cmocka_program_counts(self):
        text = "1..3\nok 1 - one\nok 2 - two\nok 3 - three\n# ok - tests\n"
        self.assertEqual(self.count({"result": "OK", "stdout": text}), (0, "3 passed, 0 failed"))

    def test_failed_and_skipped_functions_are_told_apart(self):
        text = "1..3\nok 1 - one\nnot ok 2 - two\n# 0x1 != 0x2\nnot ok 3 # SKIP three\n# not ok - tests\n"
        self.assertEqual(self.count({"result": "FAIL", "stdout": text}), (1, "1 passed, 1 failed, 1 skipped"))

    def test_functions_that_a_crash_kept_from_running_have_failed(self):
        text = "1..5\nok 1 - one\nok 2 - two\n"
        self.assertEqual(self.count({"result": "FAIL", "stdout": text}), (1, "2 passed, 3 failed"))

    def test_a_bad_exit_status_after_good_functions_is_a_failure(self):
        text = "1..1\nok 1 - one\n"
        self.assertEqual(self.count({"result": "FAIL", "stdout": text}), (1, "1 passed, 1 failed"))

    def test_what_a_test_prints_does_not_count(self):
        text = "1..2\nsome wordsok 1 - one\nok then\nok 2 - two\n"
        self.assertEqual(self.count({"result": "OK", "stdout": text}), (0, "2 passed, 0 failed"))

    def test_each_function_of_a_python_unittest_counts(self):
        text = "..sF\n----\nRan 4 tests in 0.1s\n\nFAILED (failures=1, skipped=1)\n"
        self.assertEqual(self.count({"result": "FAIL", "stderr": text}), (1, "2 passed, 1 failed, 1 skipped"))

    def test_any_other_program_counts_as_one(self):
        self.assertEqual(self.count({"result": "OK"}, {"result": "OK", "stdout": "hello"}), (0, "2 passed, 0 failed"))
        self.assertEqual(self.count({"result": "OK"}, {"result": "TIMEOUT"}), (1, "1 passed, 1 failed"))
        self.assertEqual(self.count({"result": "OK"}, {"result": "SKIP"}), (0, "1 passed, 0 failed, 1 skipped"))

    def test_other_ways_of_writing_tap_are_understood(self):
        text = "ok 1 - one # SKIP no luck\nok 2 # SKIP two\nok 3 - three\nnot ok 4 - four\n1..4\n"
        self.assertEqual(self.count({"result": "FAIL", "stdout": text}), (1, "1 passed, 1 failed, 2 skipped"))

    def test_a_run_without_tests_has_failed(self):
        self.assertEqual(self.count(), (1, "0 passed, 0 failed"))

    def test_a_missing_log_is_a_failure(self):
        self.assertEqual(self.run_summary(self.folder / "none.json"), (1, "0 passed, 1 failed"))

    def test_saved_counts_can_be_added(self):
        log = self.folder / "testlog.json"
        log.write_text(json.dumps({"result": "OK", "stdout": "1..2\nok 1 - a\nnot ok 2 # SKIP b\n"}) + "\n")
        saved = self.folder / "counts"
        self.assertEqual(self.run_summary(f"--save={saved}", log), (0, "1 passed, 0 failed, 1 skipped"))
        self.assertEqual(self.run_summary("--add", saved, saved), (0, "2 passed, 0 failed, 2 skipped"))
        gone = self.folder / "gone"
        status, shown = self.run_summary("--add", saved, gone)
        self.assertEqual((status, shown.splitlines()[-1]), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertRegex(shown, f"^FAIL {gone}: .*No such file")


class Failed(SummaryTestCase):
    """What --add prints before the sum."""

    def failures(self, *tests):
        saved = self.folder / "counts.test"
        log = self.folder / "testlog.json"
        log.write_text("".join(json.dumps(test) + "\n" for test in tests))
        self.run_summary(f"--save={saved}", log)
        return self.run_summary("--add", saved)[1].splitlines()

    def test_a_failed_function_is_shown_with_what_it_said(self):
        text = "1..3\nok 1 - one\n# two goes on\nnot ok 2 - two\n# 0x1 != 0x2\n# x.c:3: failed\nok 3 - three\n"
        shown = self.failures({"name": "cubby:os / os/linux", "result": "FAIL", "stdout": text})
        lines = ["FAIL test: os/linux: two", "     0x1 != 0x2", "     x.c:3: failed", "2 passed, 1 failed"]
        self.assertEqual(shown, lines)

    def test_functions_that_were_not_reached_are_told_of_with_the_last_that_was(self):
        text = "1..5\nok 1 - one\nok 2 - two\n"
        shown = self.failures({"name": "a / b", "result": "ERROR", "stdout": text, "stderr": "==7==ERROR: no"})
        self.assertEqual(shown[0], "FAIL test: b: ended after two, with 3 tests to come")
        self.assertEqual(shown[1:], ["     ==7==ERROR: no", "2 passed, 3 failed"])

    def test_what_ends_badly_after_good_functions_is_shown_with_its_status(self):
        test = {"name": "a / b", "result": "ERROR", "returncode": 3, "stdout": "1..1\nok 1 - a\n", "stderr": "a leak"}
        self.assertEqual(self.failures(test)[:2], ["FAIL test: b: ERROR, status 3", "     a leak"])

    def test_a_failure_of_a_python_unittest_is_shown_with_what_it_said(self):
        rule, line = "=" * 70, "-" * 70
        text = f"F.\n{rule}\nFAIL: test_a (x.Y.test_a)\nA first line.\n{line}\nTraceback\nAssertionError: 1 != 2\n\n"
        text += f"{rule}\nERROR: test_b (x.Y.test_b)\n{line}\nTraceback\nKeyError: 3\n\n{line}\n"
        text += "Ran 4 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n"
        shown = self.failures({"name": "tools / summary", "result": "FAIL", "stderr": text})
        self.assertEqual(shown[0], "FAIL test: summary: test_a (x.Y.test_a)")
        self.assertEqual(shown[1:3], ["     Traceback", "     AssertionError: 1 != 2"])
        self.assertEqual(shown[3:], ["FAIL test: summary: test_b (x.Y.test_b)", *shown[4:6], "2 passed, 2 failed"])
        self.assertEqual(shown[4:6], ["     Traceback", "     KeyError: 3"])

    def test_all_failures_fit_on_a_page_and_the_sum_stands_last_and_alone(self):
        said = "".join(f"# line {number}\n" for number in range(40))
        for count in (1, 3, 20, 79, 200):
            text = f"1..{count}\n" + "".join(f"not ok {number} - t{number}\n{said}" for number in range(1, count + 1))
            *shown, last = self.failures({"name": "a / b", "result": "FAIL", "stdout": text})
            self.assertEqual(last, f"0 passed, {count} failed")
            self.assertLessEqual(len(shown), 80)
            named = [line for line in shown if line.startswith("FAIL ")]
            self.assertEqual(len(named), min(count, 79))
            self.assertEqual(named[0], "FAIL test: b: t1")
            if count == 1:
                self.assertEqual(shown[15:], ["     line 14", "     (25 lines more)"])
            if count == 200:
                self.assertEqual(shown[-1], "and 121 failures more")

    def test_nothing_is_shown_where_nothing_failed(self):
        self.assertEqual(self.failures({"result": "OK", "stdout": "1..1\nok 1 - one\n"}), ["1 passed, 0 failed"])


class Everything(unittest.TestCase):
    """.ci/run with a `make` that does as told."""

    MAKE = """#!/bin/sh
case "$*" in
    *sanitize*) echo "x.c:3: error: no such thing"; exit 2;;
    *fuzz*) echo "crash-1234"; exit $FUZZ;;
    *check*) printf '6 1 0\\ncppcheck\\n  y.c:4: odd\\n' >build/counts.check; exit 1;;
    *test*) echo 10 0 2 >build/counts.test;;
    *) echo 5 0 0 >build/counts.conformance;;
esac
"""

    def run_all(self, fuzz):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        folder = pathlib.Path(folder.name)
        for name in (".ci/run", "tools/summary"):
            (folder / name).parent.mkdir()
            shutil.copy(ROOT / name, folder / name)
        (folder / "bin").mkdir()
        (folder / "bin/make").write_text(self.MAKE)
        (folder / "bin/make").chmod(0o755)
        environment = {"PATH": f"{folder}/bin:" + os.environ["PATH"], "FUZZ": str(fuzz)}
        ran = subprocess.run([folder / ".ci/run"], env=environment, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout.partition("== all\n")[2].splitlines()

    def test_a_whole_run_ends_with_all_that_failed_whatever_went_on_after_it(self):
        shown = [
            "FAIL check: cppcheck",
            "     y.c:4: odd",
            "FAIL sanitize: make sanitize ended before it counted",
            "     x.c:3: error: no such thing",
        ]
        self.assertEqual(self.run_all(fuzz=0), (1, [*shown, "21 passed, 2 failed, 2 skipped"]))
        shown += ["FAIL fuzz: make fuzz ended before it counted", "     crash-1234"]
        self.assertEqual(self.run_all(fuzz=1), (1, [*shown, "21 passed, 3 failed, 2 skipped"]))


if __name__ == "__main__":
    unittest.main()
