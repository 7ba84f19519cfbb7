"""The module `cubby`: what a Python program learns of Cubby, with it and without."""

import json
import pathlib
import re

import tap
from preload import LIBRARY, PYTHON, PreloadTestCase, run

MODULE = LIBRARY.parent / "module" if LIBRARY else None
COMMAND = LIBRARY.parents[2] / "cubby" if LIBRARY else None
HEAPS = ("lock", "thread")

FUNCTIONS = """
import cubby, io, json
text = io.StringIO()
cubby.print_stats(file=text)
print(json.dumps([cubby.active(), cubby.stats(), cubby.trim(), cubby.settings(), cubby.check(), text.getvalue()]))
"""

# Allocates so much of one size that nothing else in the interpreter matters, and says what the figures make of it.
ONE_SIZE = """
import cubby

def row(size):
    found = [entry for entry in cubby.stats()["classes"] if entry["block_size"] == size]
    return found[0] if found else dict.fromkeys(("pools", "blocks_used", "blocks_free"), 0)

before = row(448)
kept = [bytes(400) for _ in range(5000)]  # 433 bytes with their head
during = row(448)
assert during["blocks_used"] - before["blocks_used"] == 5000, (before, during)
assert during["pools"] - before["pools"] >= 5000 * 448 // 16384 - 5, (before, during)
del kept
after = row(448)
assert after["blocks_used"] == before["blocks_used"], (before, after)
cubby.trim()
assert row(448)["pools"] <= before["pools"] + 1, (before, row(448))
print("right")
"""

LARGE = """
import cubby
held = lambda: cubby.stats()["in_spans"]
before, large = held(), cubby.stats()["heap"]["large_blocks"]
kept = bytearray(50_000_000)
assert held() - before >= 50_000_000
if ONE_HEAP:
    assert cubby.stats()["heap"]["large_blocks"] == large + 1
del kept
assert held() - before < 1_000_000
assert cubby.trim() >= 40_000_000
assert cubby.stats()["retained"] < 1_000_000
print("right")
"""

# Damages the free list of a size that nothing else uses, as a write to a freed block does.
DAMAGE = """
import cubby, ctypes
cubby.check()
malloc, free = ctypes.pythonapi.PyMem_Malloc, ctypes.pythonapi.PyMem_Free
malloc.restype, malloc.argtypes, free.restype, free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], None, [ctypes.c_void_p]
blocks = [malloc(28000) for _ in range(2)]
free(blocks[0])
free(blocks[1])
link = ctypes.c_void_p.from_address(blocks[1])
link.value, mended = 16, link.value
try:
    cubby.check()
    print("not found")
except cubby.DamageError as error:
    assert isinstance(error, RuntimeError) and len(error.args[0]) == 1 and "damaged" in error.args[0][0], error.args
    print("right")
link.value = mended
assert cubby.check() is True
"""


def with_module(**variables):
    return {"PYTHONPATH": str(MODULE), **variables}


class ModuleTestCase(PreloadTestCase):
    def ask(self, preload=True, interpreter=PYTHON, **variables):
        ran = run([interpreter, "-c", FUNCTIONS], preload=preload, variables=with_module(**variables))
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        return json.loads(ran.out)

    def code(self, text, **variables):
        self.assertRan(run([PYTHON, "-c", text], variables=with_module(**variables)), "right")


class Served(ModuleTestCase):
    def test_it_says_which_domains_are_served(self):
        self.assertEqual(self.ask()[0], ["mem", "obj"])
        self.assertEqual(self.ask(CUBBY_MEM="libc")[0], ["obj"])
        self.assertEqual(self.ask(CUBBY_OBJ="stock")[0], ["mem"])
        self.assertEqual(self.ask(CUBBY_RAW="cubby")[0], ["raw", "mem", "obj"])
        self.assertEqual(self.ask(CUBBY_OBJ="stock", CUBBY_MEM="libc")[0], [])

    def test_where_cubby_stands_back_it_serves_nothing(self):
        active, stats, trimmed, settings, checked, text = self.ask(PYTHONMALLOC="malloc", CUBBY_QUIET="1")
        self.assertEqual((active, stats["classes"], stats["reserved"], trimmed, checked), ([], [], 0, 0, True))
        self.assertEqual(settings["CUBBY_QUIET"]["value"], 1)
        self.assertIn("serves nothing", text)

    def test_blocks_of_a_size_are_counted_while_they_are_used(self):
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                self.code(ONE_SIZE, CUBBY_HEAPS=heaps)

    def test_large_blocks_come_and_go_and_a_trim_gives_their_memory_back(self):
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                self.code(LARGE.replace("ONE_HEAP", str(heaps == "lock")), CUBBY_HEAPS=heaps)

    def test_the_classes_add_up_to_the_heap(self):
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                stats = self.ask(CUBBY_HEAPS=heaps)[1]
                heap, classes = stats["heap"], stats["classes"]
                self.assertGreater(len(classes), 20)
                sizes = [row["block_size"] for row in classes]
                self.assertEqual(sizes, sorted(set(sizes)))
                for row in classes:
                    used = row["blocks_used"] * row["block_size"]
                    self.assertEqual(used + row["bytes_free"] + row["bytes_lost"], row["pool_bytes"], row)
                # Taken one after the other, the two differ by what was allocated between.
                self.assertAlmostEqual(sum(row["pools"] for row in classes), heap["pools"], delta=5)
                self.assertGreaterEqual(stats["in_spans"] + (1 << 20), heap["pool_bytes"] + heap["large_bytes"])

    def test_settings_have_value_default_and_help(self):
        settings = self.ask(CUBBY_RETAIN_MS="250", CUBBY_RAW="libc", CUBBY_STATS="0")[3]
        self.assertGreater(len(settings), 10)
        for name, setting in settings.items():
            self.assertTrue(name.startswith("CUBBY_") and setting["help"] and setting["reason"] and setting["unit"])
        self.assertEqual((settings["CUBBY_RETAIN_MS"]["value"], settings["CUBBY_RETAIN_MS"]["default"]), (250, 1000))
        raw = settings["CUBBY_RAW"]
        self.assertEqual((raw["value"], raw["default"], raw["option"]), ("libc", "stock", "--raw"))
        self.assertEqual((raw["kind"], raw["choices"]), ("choice", ["cubby", "libc", "stock"]))
        self.assertEqual((settings["CUBBY_STATS"]["value"], settings["CUBBY_STATS"]["kind"]), ("", "report"))
        self.assertEqual(settings["CUBBY_HUGE_PAGES"]["kind"], "switch")

    def test_settings_are_those_that_the_command_shows(self):
        if not COMMAND.exists():
            self.skipTest("this build has no command")
        shown = json.loads(run([COMMAND, "info", "--json"], preload=False).out)["settings"]
        settings = self.ask()[3]
        self.assertEqual([entry["name"] for entry in shown], list(settings))
        for entry in shown:
            same = settings[entry["name"]]
            for key in ("value", "default", "kind", "unit", "help", "reason"):
                with self.subTest(name=entry["name"], key=key):
                    value = min(same[key], 2**63 - 1) if isinstance(same[key], int) else same[key]
                    self.assertEqual(value, entry[key])

    def test_damage_is_found_and_named(self):
        self.unlessSanitized("the sanitizer stops at the damage itself")
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                self.code(DAMAGE, CUBBY_HEAPS=heaps)

    def test_the_text_shows_every_class_and_every_figure(self):
        for heaps, heading in (("lock", "one heap under the interpreter's lock"), ("thread", "a heap for each thread")):
            with self.subTest(heaps=heaps):
                _, stats, _, _, _, text = self.ask(CUBBY_HEAPS=heaps)
                self.assertRegex(text, r"^Cubby \d+\.\d+\.\d+ serves mem and obj of process \d+ from " + heading)
                for row in stats["classes"]:
                    self.assertRegex(text, rf"(?m)^ *{row['block_size']:,} ")
                for name in stats:
                    if name not in ("heap", "classes"):
                        self.assertRegex(text, rf"(?m)^ *{name} ")
                self.assertRegex(text, r"(?m)^ *page faults +[\d,]+ ")
                self.assertEqual("Large blocks" in text, heaps == "lock")

    def test_the_text_goes_to_stderr_unless_told_otherwise(self):
        ran = run([PYTHON, "-c", "import cubby; cubby.print_stats()"], variables=with_module())
        self.assertEqual((ran.status, ran.out), (0, ""))
        self.assertIn("block size", ran.err)

    def test_figures_are_the_calling_threads_where_each_has_a_heap(self):
        self.code(
            "import cubby, threading\n"
            "def work():\n"
            "    kept = [bytes(400) for _ in range(2000)]\n"
            "    used.append(cubby.stats()['heap']['blocks_used'])\n"
            "used = []\n"
            "mine = cubby.stats()['heap']['blocks_used']\n"
            "thread = threading.Thread(target=work); thread.start(); thread.join()\n"
            "assert 2000 <= used[0] < mine, (used, mine)\n"
            "assert cubby.check() and cubby.trim() >= 0\n"
            "print('right')",
            CUBBY_HEAPS="thread",
        )


class NotServed(ModuleTestCase):
    def test_without_cubby_every_function_tells_of_nothing(self):
        active, stats, trimmed, settings, checked, text = self.ask(preload=False)
        self.assertEqual((active, trimmed, settings, checked), ([], 0, {}, True))
        self.assertEqual(stats.pop("classes"), [])
        self.assertEqual(set(stats.pop("heap").values()), {0})
        self.assertEqual(set(stats.values()), {0})
        self.assertRegex(text, r"^Cubby serves nothing in process \d+")

    def test_the_figures_have_the_same_names_with_and_without(self):
        with_cubby, without = self.ask()[1], self.ask(preload=False)[1]
        self.assertEqual(list(with_cubby), list(without))
        self.assertEqual(list(with_cubby["heap"]), list(without["heap"]))


class Command(ModuleTestCase):
    """`cubby run` makes the module importable."""

    def setUp(self):
        if not COMMAND.exists():
            self.skipTest("this build has no command")

    def command(self, *arguments, **variables):
        return run([COMMAND, "run", *arguments], preload=False, variables=variables)

    def test_a_program_that_is_run_can_import_it(self):
        ran = self.command(PYTHON, "-c", "import cubby; cubby.print_stats()")
        self.assertEqual((ran.status, ran.out), (0, ""), ran)
        self.assertIn("serves mem and obj", ran.err)

    def test_what_the_user_has_in_pythonpath_comes_first_and_is_kept(self):
        ran = self.command(PYTHON, "-c", "import sys; print(sys.path[1:3])", PYTHONPATH="/nowhere")
        self.assertRan(ran, str(["/nowhere", str(MODULE)]))

    def test_an_interpreter_that_ignores_the_environment_is_served_all_the_same(self):
        ask = "import sys; sys.path.append({!r}); import cubby; print(*cubby.active())".format(str(MODULE))
        for option in ("-I", "-E"):
            with self.subTest(option=option):
                self.assertRan(self.command(PYTHON, option, "-c", "print('right')"), "right")
                self.assertRan(self.command(PYTHON, option, "-c", ask), "mem obj")

    def test_figures_at_exit_are_reported_once_for_each_process_of_a_program(self):
        ends = ("raise SystemExit", "os._exit(0)", "os.execv('/bin/true', ['true'])")
        for end, count in zip(ends, (2, 2, 1)):
            with self.subTest(end=end):
                ran = self.command("--stats", PYTHON, "-c", f"import os\nif os.fork() == 0: {end}\nos.wait()")
                self.assertEqual((ran.status, ran.out), (0, ""), ran)
                self.assertEqual(len(self.reporters(ran.err)), count, ran)

    def test_workers_report_and_programs_that_could_not_be_started_do_not(self):
        code = (
            "import multiprocessing, os, subprocess\n"
            "context = multiprocessing.get_context('fork')\n"
            "with context.Pool(2) as pool:\n"
            "    assert pool.map(abs, [-1, -2]) == [1, 2]\n"
            "    pool.close(); pool.join()\n"
            "try:\n"
            "    subprocess.run(['/no/such/program'])\n"
            "except FileNotFoundError:\n"
            "    print(os.getpid())\n"
        )
        ran = self.command("--stats", PYTHON, "-c", code)
        self.assertEqual(ran.status, 0, ran)
        self.assertEqual(len(self.reporters(ran.err)), 3, ran)
        self.assertIn(ran.out.strip(), self.reporters(ran.err))  # not what vfork made of it

    def reporters(self, text):
        """The numbers of the processes that reported, each once."""
        found = re.findall(r"(?m)^cubby: what process (\d+) \(python3[.\d]*\) held at its exit$", text)
        self.assertEqual(len(set(found)), len(found))
        return found


class Interpreters(ModuleTestCase):
    def test_every_interpreter_of_a_version_manager_can_use_it(self):
        found = sorted(pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3"))
        found = [path for path in found if run([path, "-c", "import sys; sys.exit(sys.version_info < (3, 7))"]).status == 0]
        if not found:
            self.skipTest("there is none")
        for interpreter in found:
            for preload in (True, False):
                with self.subTest(interpreter=interpreter, preload=preload):
                    active, stats, _, _, checked, text = self.ask(preload, interpreter)
                    self.assertEqual((active, checked), (["mem", "obj"] if preload else [], True))
                    self.assertEqual(bool(stats["classes"]), preload)
                    self.assertIn("serves", text)


if __name__ == "__main__":
    tap.main()
