"""tools/summary counts test functions, and takes no run for a good one that was not."""

import json
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Summary(unittest.TestCase):
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
        self.assertEqual(self.run_summary("--add", saved, gone), (1, "1 passed, 1 failed, 1 skipped"))


if __name__ == "__main__":
    unittest.main()
