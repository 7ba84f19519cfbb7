"""tools/conformance finds where Cubby's outcome of a test differs from stock's, whatever way it comes about.

A small program stands in for the interpreter with its tests; a plan tells it how each module ends in each arm.
"""

import contextlib
import importlib.util
import io
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Has the options of `python3 -m test` that the tool uses. Each run of a module in an arm takes the next entry of its
# list in the plan, and stays with the last.
INTERPRETER = '''#!/usr/bin/python3 -SE
import os, sys, time  # nothing that takes long to load: it starts some hundred times
with open(HOME + "/plan") as file:
    plan = eval(file.read())
arm = os.environ.get("CUBBY_HEAPS", "lock") if "LD_PRELOAD" in os.environ else "stock"
if sys.argv[1] == "-c":
    print("3.11.0" if "platform" in sys.argv[2] else plan["blocks"].get(arm, 100))
    sys.exit()
module = sys.argv[-1]
if module == "--list-tests":
    print("\\n".join(plan["modules"]))
    sys.exit()
with open(f"{HOME}/{module}.{arm}", "a+") as counter:
    counter.seek(0)
    number = len(counter.read())
    counter.write(".")
runs = plan["modules"][module].get(arm) or plan["modules"][module]["stock"]
run = runs[min(number, len(runs) - 1)]
print(run.get("prints", ""), flush=True)
if "signal" in run:
    os.kill(os.getpid(), run["signal"])
if run.get("hangs") and "--ignore=Hanging" not in sys.argv:
    child = os.fork()
    if child:
        with open(HOME + "/child", "w") as file:
            print(child, file=file)
    time.sleep(600)
if "cases" in run:
    message = run.get("message", "why")
    marks = {"passed": "", "failed": f'<failure message="{message}" />', "skipped": "<skipped>why</skipped>"}
    failures = sum(state in ("failed", "unnamed") for state in run["cases"].values())
    text = f'<testsuites><testsuite tests="1" errors="0" failures="{failures}">'
    for name, state in run["cases"].items():
        text += "<testcase />" if state == "unnamed" else f'<testcase name="{name}">{marks[state]}</testcase>'
    path = next(word.partition("=")[2] for word in sys.argv if word.startswith("--junit-xml="))
    with open(path, "w") as file:
        file.write(text + "</testsuite></testsuites>")
if run.get("aborts"):
    os.abort()
sys.exit(run.get("status", 2 if "failed" in str(run.get("cases")) else 0))
'''

GOOD = {"cases": {"a.A.one": "passed", "a.A.two": "passed"}}
BAD = {"cases": {"a.A.one": "passed", "a.A.two": "failed"}}
CRASH = {"signal": int(signal.SIGSEGV)}


def tool_load():
    """The tool as a module. It has no suffix, so it is loaded by hand, and leaves no compiled file behind."""
    sys.dont_write_bytecode = True
    loader = SourceFileLoader("conformance", str(ROOT / "tools/conformance"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("conformance", loader))
    loader.exec_module(module)
    return module


REAL = "/usr/bin/python3.11"


class Conformance(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tool = tool_load()
        self.interpreter = self.folder / "python"
        self.interpreter.write_text(INTERPRETER.replace("import os", f"HOME = {folder.name!r}\nimport os"))
        self.interpreter.chmod(0o755)
        self.runs = self.tool.runs
        self.replace(self.runs, "PYTHON", str(self.interpreter))
        (self.folder / "adapter.so").write_text("")
        self.expect("")
        self.addCleanup(signal.signal, signal.SIGTERM, signal.getsignal(signal.SIGTERM))

    def replace(self, module, name, value):
        """For this test only."""
        replaced = unittest.mock.patch.object(module, name, value)
        replaced.start()
        self.addCleanup(replaced.stop)

    def expect(self, text):
        (self.folder / "expected.txt").write_text(text)

    def plan(self, blocks=None, **modules):
        blocks = {"lock": 0, "thread": 0} if blocks is None else blocks
        modules.setdefault("test_list", {"stock": [{"cases": {}}]})
        (self.folder / "plan").write_text(repr({"blocks": blocks, "modules": modules}))

    def options(self, *more):
        files = {"adapter": "adapter.so", "expected": "expected.txt", "output": "output", "json": "all.json"}
        return [*(f"--{name}={self.folder / file}" for name, file in files.items()), *more]

    def run_tool(self, *more):
        """The exit status, what was printed, and the error."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            try:
                status = self.tool.main(self.options(*more))
            except SystemExit as ended:
                status = ended.code
        return status, out.getvalue(), error.getvalue()

    def run_module(self, *more, **arms):
        """One module, test_a, in the lock arm unless told otherwise."""
        self.plan(test_a=arms)
        return self.run_tool("--modules=test_a", *(more or ["--arms=lock"]))

    def runs_of(self, arm):
        counter = self.folder / f"test_a.{arm}"
        return len(counter.read_text()) if counter.exists() else 0

    def assertEnds(self, ran, status, last, *lines):
        self.assertEqual((ran[0], ran[1].splitlines()[-1], ran[2]), (status, last, ""), ran[1])
        for line in lines:
            self.assertIn(line, ran[1])

    def assertWrong(self, ran, *words):
        self.assertEqual(ran[0], 2, ran)
        for word in words:
            self.assertIn(word, ran[2])

    def test_tests_that_do_as_on_stock_pass_in_both_arms(self):
        # Two tests and the module as a whole, twice.
        self.assertEnds(self.run_module("--arms=lock,thread", stock=[GOOD]), 0, "6 passed, 0 failed")
        self.assertEqual([self.runs_of(arm) for arm in ("stock", "lock", "thread")], [1, 1, 1])

    def test_a_test_that_keeps_failing_on_cubby_alone_is_a_difference(self):
        ran = self.run_module(stock=[GOOD], lock=[BAD])
        self.assertEnds(ran, 1, "2 passed, 1 failed", "Different from stock:\n  lock    a.A.two: failed: why")
        self.assertEqual((self.runs_of("stock"), self.runs_of("lock")), (3, 3))
        self.assertEqual(len(list((self.folder / "output").iterdir())), 3)

    def test_a_difference_in_one_arm_is_reported_of_that_arm(self):
        ran = self.run_module("--arms=lock,thread", stock=[GOOD], thread=[BAD])
        self.assertEnds(ran, 1, "5 passed, 1 failed", "  thread  a.A.two: failed")
        self.assertNotIn("  lock ", ran[1])

    def test_a_test_that_passes_when_it_runs_again_is_unsteady(self):
        ran = self.run_module(stock=[GOOD], lock=[BAD, BAD, GOOD])
        self.assertEnds(ran, 0, "2 passed, 0 failed", "Unsteady", "a.A.two: failed: why (passed in run 3)")

    def test_a_test_that_fails_on_stock_the_second_time_is_unsteady(self):
        ran = self.run_module(stock=[GOOD, BAD], lock=[BAD])
        self.assertEnds(ran, 0, "2 passed, 0 failed", "(stock does not always pass it either)")

    def test_what_fails_on_stock_is_not_compared(self):
        ran = self.run_module(stock=[BAD], lock=[BAD])
        self.assertEnds(ran, 0, "2 passed, 0 failed", "Fail on stock:\n  a.A.two")

    def test_a_test_that_cubby_skips_or_loses_is_a_difference(self):
        skipped = {"cases": {"a.A.one": "passed", "a.A.two": "skipped"}}
        self.assertEnds(self.run_module(stock=[GOOD], lock=[skipped]), 1, "2 passed, 1 failed", "a.A.two: skipped")
        lost = {"cases": {"a.A.one": "passed"}}
        self.assertEnds(self.run_module(stock=[GOOD], lock=[lost]), 1, "2 passed, 1 failed", "a.A.two: no result")

    def test_a_failed_subtest_fails_its_test(self):
        broken = {"cases": {"a.A.one": "passed", "a.A.two": "unnamed"}, "status": 2}
        self.assertEnds(self.run_module(stock=[GOOD], lock=[broken]), 1, "2 passed, 1 failed", "a.A.two: no result")

    def test_a_failure_outside_any_test_is_the_modules(self):
        ran = self.run_module(stock=[GOOD], lock=[{**GOOD, "status": 2}])
        self.assertEnds(ran, 1, "2 passed, 1 failed", "  lock    test_a: failed")

    def test_a_crash_fails_all_tests_of_the_module(self):
        ran = self.run_module(stock=[GOOD], lock=[CRASH])
        line = "test_a: died of SIGSEGV; 2 tests that pass on stock have no result"
        self.assertEnds(ran, 1, "0 passed, 3 failed", line)

    def test_a_crash_is_a_difference_even_when_it_does_not_come_back(self):
        ran = self.run_module(stock=[GOOD], lock=[CRASH, GOOD])
        self.assertEnds(ran, 1, "0 passed, 3 failed", "died of SIGSEGV")

    def test_a_crash_counts_even_when_stock_fails_too(self):
        ran = self.run_module(stock=[GOOD, {**GOOD, "status": 2}], lock=[CRASH])
        self.assertEnds(ran, 1, "0 passed, 3 failed", "died of SIGSEGV")

    def test_what_fails_after_a_crash_is_a_difference_of_its_own(self):
        ran = self.run_module(stock=[GOOD], lock=[CRASH, BAD])
        self.assertEnds(ran, 1, "0 passed, 3 failed", "test_a: died of SIGSEGV", "  lock    a.A.two: failed")

    def test_a_crash_after_the_last_test_is_a_difference(self):
        ran = self.run_module(stock=[GOOD], lock=[{**GOOD, "aborts": True}])
        self.assertEnds(ran, 1, "0 passed, 3 failed", "test_a: died of SIGABRT")

    def test_a_module_that_crashes_on_stock_is_not_run_on_cubby(self):
        ran = self.run_module(stock=[CRASH], lock=[GOOD])
        self.assertEqual(ran[0], 1)  # nothing was compared, which is no success
        self.assertIn("Unusable on stock, and so not compared:\n  test_a: died of SIGSEGV", ran[1])
        self.assertEqual(self.runs_of("lock"), 0)

    def test_an_interpreter_that_ends_itself_after_a_time_out_has_timed_out(self):
        hung = {"prints": "Timeout (0:00:01)!", "status": 1}
        ran = self.run_module(stock=[GOOD], lock=[hung])
        self.assertEnds(ran, 1, "0 passed, 3 failed", "test_a: timed out")

    def test_a_module_that_hangs_is_ended_with_its_children(self):
        self.replace(self.runs, "GRACE", 0)
        self.replace(self.tool.differences, "RERUNS", 0)
        self.plan(test_a={"stock": [GOOD], "lock": [{"hangs": True}]})
        ran = self.run_tool("--modules=test_a", "--arms=lock", "--timeout=2")
        self.assertEnds(ran, 1, "0 passed, 3 failed", "test_a: timed out")
        self.assertChildEnds()

    def test_what_hangs_on_stock_is_left_out_in_every_arm(self):
        self.replace(self.runs, "LEFT_OUT", {"test_a": ["Hanging"]})
        ran = self.run_module("--arms=lock,thread", "--timeout=5", stock=[{**GOOD, "hangs": True}])
        self.assertEnds(ran, 0, "6 passed, 0 failed")

    def assertChildEnds(self):
        status = pathlib.Path("/proc", (self.folder / "child").read_text().strip(), "stat")
        # Its parent is gone; whoever collects it then may take a moment.
        for _ in range(200):
            if not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z":
                return
            time.sleep(0.02)
        self.fail("the child goes on")

    def test_an_interrupted_run_tells_what_was_done_and_leaves_nothing_behind(self):
        self.plan(test_a={"stock": [GOOD]}, test_b={"stock": [{"hangs": True}]})
        program = (
            "import sys; sys.path.insert(0, sys.argv[1]); import conformance_test\n"
            "tool = conformance_test.tool_load(); tool.runs.PYTHON = sys.argv[2]; sys.exit(tool.main(sys.argv[3:]))"
        )
        words = [sys.executable, "-c", program, str(pathlib.Path(__file__).parent), str(self.interpreter)]
        words += self.options("--modules=test_a,test_b", "--jobs=1", f"--save={self.folder}/counts")
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not (self.folder / "child").exists() or not (self.folder / "child").read_text():
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        out, error = running.communicate()
        told = "conformance: interrupted; 1 of 2 modules were done\n"
        self.assertEqual((running.returncode, error), (130, told))
        self.assertIn("1 modules, 2 tests", out)
        self.assertNotIn(" passed, ", out)
        self.assertFalse((self.folder / "counts").exists())
        self.assertChildEnds()

    def test_a_difference_with_a_reason_is_expected_and_not_run_again(self):
        self.expect("# comment\n\na.*.two  looks at pymalloc\n")
        ran = self.run_module(stock=[GOOD], lock=[BAD])
        self.assertEnds(ran, 0, "2 passed, 0 failed", "Expected:\n  a.A.two (lock): looks at pymalloc")
        self.assertEqual(self.runs_of("lock"), 1)

    def test_a_reason_for_what_no_longer_differs_is_reported(self):
        self.expect("a.A.two  looks at pymalloc\nb.B.one  of a module that did not run\n")
        ran = self.run_module(stock=[GOOD])
        self.assertEnds(ran, 0, "3 passed, 0 failed", "no longer different; take them out:\n  a.A.two\n")
        self.assertNotIn("b.B.one", ran[1])

    def test_a_crash_says_nothing_of_the_tests_with_a_reason(self):
        self.expect("a.A.two  looks at pymalloc\n")
        ran = self.run_module(stock=[GOOD], lock=[CRASH])
        self.assertNotIn("no longer different", ran[1])

    def test_only_its_own_old_output_is_removed(self):
        output = self.folder / "output"
        output.mkdir()
        (output / "test_b.lock.1.txt").write_text("")
        (output / "letter.txt").write_text("")
        self.run_module(stock=[GOOD])
        self.assertEqual([path.name for path in output.iterdir()], ["letter.txt"])

    def test_text_that_xml_does_not_allow_is_read(self):
        ran = self.run_module(stock=[GOOD], lock=[{**BAD, "message": "odd \x01 &#55296; text"}])
        self.assertEnds(ran, 1, "2 passed, 1 failed", "a.A.two: failed: odd ? ? text")

    def test_addresses_in_names_do_not_matter(self):
        first, second = ({"cases": {f"a.A.&lt;at 0x{number}&gt;": "passed"}} for number in ("7f01", "7f02"))
        self.assertEnds(self.run_module(stock=[first], lock=[second]), 0, "2 passed, 0 failed")

    def test_results_are_written_for_programs(self):
        self.run_module("--arms=lock", f"--save={self.folder}/counts", stock=[GOOD], lock=[BAD])
        saved = (self.folder / "counts").read_text().splitlines()
        self.assertEqual((saved[0], len(saved)), ("2 1 0", 2))
        self.assertEqual(saved[1], "lock    a.A.two: failed: why")
        written = json.loads((self.folder / "all.json").read_text())
        self.assertEqual((written["passed"], written["failed"]), (2, 1))
        (difference,) = written["differences"]
        self.assertEqual([difference[key] for key in ("test", "arm", "runs")], ["a.A.two", "lock", 3])
        self.assertEqual(written["modules"]["test_a"]["lock"]["tests"]["a.A.two"], "failed")

    def test_an_arm_that_is_not_what_it_is_called_is_refused(self):
        self.plan(blocks={"lock": 7, "thread": 0})
        self.assertWrong(self.run_tool(), "does not serve", "arm lock", "`make`")
        self.plan(blocks={"stock": 0, "lock": 0, "thread": 0})
        self.assertWrong(self.run_tool(), "stock Python does not use its own allocator")
        self.plan(blocks={"lock": 0, "thread": 0, "neither": 0})
        self.assertWrong(self.run_tool(), "does not know CUBBY_HEAPS")
        self.assertEnds(self.run_tool("--arms=lock"), 0, "1 passed, 0 failed")

    def test_wrong_use_is_told_what_would_be_right(self):
        self.plan()
        self.assertWrong(self.run_tool("--modules=test_lisp"), "no such module: test_lisp", "--list-tests")
        self.assertWrong(self.run_tool("--modules="), "no such module: ''")
        self.assertWrong(self.run_tool("--arms=lock,heap"), "no such arm: heap; there are: lock, thread")
        self.assertWrong(self.run_tool("--part=half"), "no such part: half; there are: ci")
        self.assertWrong(self.run_tool("--part=ci", "--modules=test_list"), "not both")
        self.assertWrong(self.run_tool("--timeout=0"), "from 1 on")
        self.assertWrong(self.run_tool("--jobs=two"), "--jobs", "two")
        self.assertWrong(self.run_tool("--speed"), "--speed")
        self.assertWrong(self.run_tool(f"--save={self.folder}/none/counts"), "none/counts: there is no such folder")
        self.assertWrong(self.run_tool(f"--adapter={self.folder}/none.so"), "none.so is missing", "`make`")
        self.assertWrong(self.run_tool(f"--expected={self.folder}/none.txt"), "none.txt: No such", "--expected=FILE")
        self.expect("a.A.one\n")
        self.assertWrong(self.run_tool(), "expected.txt:1: no reason after a.A.one; write PATTERN REASON")

    def test_a_missing_package_is_named(self):
        (self.folder / "plan").write_text(repr({"blocks": {}, "modules": {}}))
        self.assertWrong(self.run_tool(), "install libpython3.11-testsuite")
        self.replace(self.runs, "PYTHON", str(self.folder / "none"))
        self.assertWrong(self.run_tool(), "install python3.11")

    def test_each_arm_has_its_environment_and_nothing_else(self):
        runner = self.runs.Runner(pathlib.Path("/adapter.so"), 1)
        base = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/x", "TMPDIR": "/x"}
        on_cubby = {**base, "LD_PRELOAD": "/adapter.so", "CUBBY_QUIET": "1"}
        self.assertEqual(runner.environment("stock", "/x"), base)
        self.assertEqual(runner.environment("lock", "/x"), on_cubby)
        self.assertEqual(runner.environment("thread", "/x"), {**on_cubby, "CUBBY_HEAPS": "thread"})

    def test_the_part_for_each_change_names_real_modules(self):
        self.replace(self.runs, "PYTHON", REAL)
        try:
            known = self.runs.modules_list()
        except self.runs.WrongUse as error:
            self.skipTest(str(error))
        for names in [*self.tool.PARTS.values(), self.tool.SLOW]:
            self.assertEqual([name for name in names if name.partition(".")[0] not in known], [])
            self.assertEqual(len(set(names)), len(names))

    def test_the_reasons_in_the_repository_can_be_read(self):
        self.assertTrue(self.tool.differences.Expected(ROOT / "tests/conformance/expected.txt").entries)


if __name__ == "__main__":
    unittest.main()
