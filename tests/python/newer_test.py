"""The smoke set on CPython 3.12 and later: served by heaps of threads, or left alone where there is no global lock.

Runs on each interpreter that is found, one of each version: those that tools/newer-python built into the build folder,
those in PATH, those of a version manager.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import preload
import tap
from preload import CHECKED, HERE, LIBRARY, PROBE, PROGRAMS, SERVED, STOCK, PreloadTestCase, probe, run

sys.path.insert(0, str(HERE.parent / "conformance"))

import differences  # these are found by the line above
import runs

# Some programs wait for threads and processes a lot, and the machine may be busy with other tests.
preload.PATIENCE = 600
# After so many seconds a module of the interpreter's own tests hangs, and is ended.
OWN_PATIENCE = 240

PROBE_CODE = f"import sys; sys.path.insert(0, {str(HERE)!r}); import probe; probe.main()"

ASK = """
import ctypes, json, platform, sys, sysconfig
assert platform.python_implementation() == "CPython" and sys.version_info >= (3, 12)
read = sysconfig.get_config_var
print(json.dumps({
    "path": sys.executable,
    "prefix": sys.base_prefix,
    "name": f"{sys.version_info[0]}.{sys.version_info[1]}" + ("t" if read("Py_GIL_DISABLED") else ""),
    "is_free_threaded": bool(read("Py_GIL_DISABLED")),
    "include": sysconfig.get_path("include"),
    "library": (read("LIBDIR") if read("Py_ENABLE_SHARED") else read("LIBPL")) + "/" + read("LDLIBRARY"),
    "libdir": read("LIBDIR"),
    "link": " ".join(read(name) or "" for name in ("LIBS", "SYSLIBS", "LINKFORSHARED")).split(),
}))
"""


class Interpreter:
    def __init__(self, answers):
        self.__dict__.update(answers)


def interpreters_find():
    """One of each version, those of the build folder first."""
    candidates = sorted(LIBRARY.parents[2].glob("python/*/bin/python3")) if LIBRARY else []
    candidates += [shutil.which(f"python3.{minor}{kind}") for minor in range(12, 30) for kind in ("", "t")]
    candidates += sorted(pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3"), reverse=True)
    found = {}
    for candidate in filter(None, candidates):
        ran = run([candidate, "-c", ASK], preload=False)
        if ran.status == 0:
            interpreter = Interpreter(json.loads(ran.out))
            found.setdefault(interpreter.name, interpreter)
    return [found[name] for name in sorted(found)]


class NewerTestCase(PreloadTestCase):
    """Tests are run once for each interpreter, by a class that names it."""

    interpreter = None

    def python(self, *arguments, **options):
        return run([self.interpreter.path, *arguments], **options)

    def program(self, name, *arguments, out="right", **options):
        self.assertRan(self.python(PROGRAMS / f"{name}.py", *arguments, **options), out)

    def assertStandsBack(self, ran, reason):
        """The interpreter's own allocators serve, and one line says why."""
        self.assertEqual((ran.status, ran.out.strip()), (0, STOCK), ran)
        self.assertEqual(len(ran.err.splitlines()), 1, ran)
        self.assertRegex(ran.err, "^cubby: .*" + reason)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)


class Served:
    """Interpreters with a lock, or with a lock each."""

    def test_both_domains_are_served_and_raw_is_not(self):
        self.assertServed(probe(self.interpreter.path))

    def test_every_function_of_both_domains_gives_blocks_of_cubby(self):
        self.program("entry_points")

    def test_an_interpreter_told_to_use_its_own_allocators_does(self):
        for name in ("pymalloc", "malloc", *(() if self.interpreter.name == "3.12" else ("mimalloc",))):
            with self.subTest(name=name):
                ran = self.python(PROBE, variables={"PYTHONMALLOC": name})
                self.assertStandsBack(ran, "standing back: PYTHONMALLOC chooses")

    def test_an_interpreter_told_to_check_is_checked_by_cubby(self):
        self.assertRan(self.python(PROBE, variables={"PYTHONMALLOC": "debug"}), CHECKED)
        self.assertRan(self.python("-X", "dev", PROBE), CHECKED)

    def test_a_lock_heap_is_refused(self):
        self.assertStandsBack(self.python(PROBE, variables={"CUBBY_HEAPS": "lock"}), "CUBBY_HEAPS=lock is for")
        self.assertServed(self.python(PROBE, variables={"CUBBY_HEAPS": "thread"}))

    def test_the_raw_domain_is_served_where_it_was_asked_for(self):
        raw = {"CUBBY_RAW": "cubby"}
        self.assertRan(self.python(PROBE, variables=raw), SERVED.replace("raw=stock", "raw=cubby"))
        for name in ("threads", "domains", "short_threads"):
            with self.subTest(program=name):
                self.program(name, variables=raw)

    def test_blocks_may_cross_domains_as_on_stock(self):
        self.program("domains")

    def test_blocks_given_to_the_c_library_go_home(self):
        self.program("crossings")

    def test_hooks_can_wrap_the_tables(self):
        self.program("hooks")

    def test_raw_blocks_are_the_c_library_s(self):
        self.program("raw_blocks")

    def test_the_standard_library_can_be_imported(self):
        stock, cubby = (self.python(PROGRAMS / "everything.py", preload=preload) for preload in (False, True))
        self.assertRan(cubby, stock.out.strip())
        self.assertRegex(stock.out, r"^imported \d{3}")

    def test_encoders_and_decoders_give_back_what_went_in(self):
        self.program("roundtrips")

    def test_containers_and_numbers_keep_their_contents(self):
        self.program("lists")

    def test_deep_recursion_and_deep_structures_work(self):
        if self.python(PROGRAMS / "recursion.py", preload=False).status != 0:
            self.skipTest("this version allows less recursion than the program asks for, without Cubby, too")
        self.program("recursion")

    def test_containers_grow_to_200_megabytes_by_small_steps_and_shrink_again(self):
        self.program("growth")

    def test_strings_of_every_width_and_length_are_right(self):
        self.program("strings")

    def test_cycles_weak_references_and_finalisers_work(self):
        self.program("collector")

    def test_tracemalloc_can_be_put_on_and_taken_off(self):
        self.program("tracing")
        self.program("lists", variables={"PYTHONTRACEMALLOC": "5"})

    def test_allocation_statistics_at_the_end_can_be_asked_for(self):
        ran = self.python("-c", "print(1)", variables={"PYTHONMALLOCSTATS": "1"})
        self.assertEqual((ran.status, ran.out.strip()), (0, "1"), ran)

    def test_many_threads_that_pass_blocks_on_are_right(self):
        self.program("threads")

    def test_threads_that_end_leave_their_memory_to_others(self):
        self.program("short_threads")

    def test_forked_workers_are_served_and_right(self):
        # Forking with threads around is what these programs are for; the interpreter warns of it since 3.12.
        self.program("processes", "fork", variables={"PYTHONWARNINGS": "ignore::DeprecationWarning"})

    def test_spawned_workers_are_served_and_right(self):
        self.program("processes", "spawn")

    def test_workers_of_a_fork_server_are_served_and_right(self):
        self.program("processes", "forkserver")

    def test_parent_and_child_of_a_fork_do_not_disturb_each_other(self):
        self.program("forks", variables={"PYTHONWARNINGS": "ignore::DeprecationWarning"})

    def test_asyncio_and_subprocess_work(self):
        self.program("events")

    def test_signal_handlers_that_allocate_do_no_harm(self):
        self.program("signals")

    def test_interpreters_with_a_lock_each_are_served_and_right(self):
        self.program("subinterpreters", "cubby")

    def host(self):
        """A program that initialises, uses and finalises the interpreter three times."""
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("there is no cc")
        if not pathlib.Path(self.interpreter.include, "Python.h").exists():
            self.skipTest("the interpreter's header is not installed")
        if not pathlib.Path(self.interpreter.library).is_file():
            self.skipTest("the interpreter's library is not installed")
        program = self.folder() / "embeds"
        command = [compiler, "-DHOST_EMBEDS", "-I", self.interpreter.include, "-o", program, HERE / "host.c"]
        command += [self.interpreter.library, *self.interpreter.link, f"-Wl,-rpath,{self.interpreter.libdir}"]
        subprocess.run(command, check=True)
        return program

    def test_an_embedded_interpreter_is_served_and_never_by_halves_after_a_restart(self):
        ran = run([self.host(), PROBE_CODE], variables={"PYTHONHOME": self.interpreter.prefix})
        # From 3.12 on a second initialisation puts the interpreter's own tables back.
        first, *later = ran.out.splitlines()
        self.assertEqual((ran.status, ran.err, first, len(later)), (0, "", SERVED, 2), ran)
        for line in later:
            self.assertIn(line, (SERVED, STOCK), ran)

    def test_blocks_that_survive_the_end_of_an_interpreter_are_known_in_its_next_life(self):
        code = f"exec(compile(open({str(PROGRAMS / 'restarts.py')!r}).read(), 'restarts.py', 'exec'))"
        variables = {"PYTHONHOME": self.interpreter.prefix, "RESTARTS_PROBE": HERE}
        ran = run([self.host(), code], variables=variables)
        self.assertEqual((ran.status, ran.err), (0, ""), ran)
        # The second life inherits all of the first, or nothing was tested; the third what Cubby gave in the second.
        lines = [f"life {life} is right and inherited {count}" for life, count in ((1, 0), (2, 350), (3, "(0|350)"))]
        self.assertRegex(ran.out.strip(), "^" + "\n".join(lines) + "$")

    def test_trimming_gives_back_what_was_dropped(self):
        code = """
import ctypes
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
items = [str(step) * 9 for step in range(1_000_000)]
peak = resident()
del items
ctypes.PyDLL(None).cubby_python_trim()
assert peak - resident() > 60 << 20, (peak, resident())
print("right")
"""
        self.assertRan(self.python("-c", code), "right")

    MODULES = (
        "test_list",
        "test_dict",
        "test_set",
        "test_float",
        "test_bytes",
        "test_memoryview",
        "test_weakref",
        "test_gc",
        "test_thread",
        "test_threading",
        "test_threading_local",
        "test_fork1",
        "test_tracemalloc",
        "test__xxsubinterpreters",  # 3.12
        "test__interpreters",  # 3.13 and later
        "test__interpchannels",
        "test_interpreters",
    )

    def compare(self, modules):
        """
        The interpreter's own tests, without Cubby and with it, by the rules of tests/conformance: a test that fails
        only sometimes, or on stock, too, is no difference, and a crash always is one.
        """
        runner = runs.Runner(LIBRARY, OWN_PATIENCE, self.interpreter.path)
        comparison = differences.Comparison(runner, ["thread"], differences.Expected(os.devnull), self.folder())
        try:
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(comparison.do_module, modules))
        except BaseException:
            runner.stop()
            raise
        return comparison

    def test_the_interpreter_s_own_tests_that_pass_on_stock_pass(self):
        code = f"import importlib.util as u; print(*(m for m in {self.MODULES} if u.find_spec('test.' + m)))"
        modules = self.python("-c", code, preload=False).out.split()
        if not modules:
            self.skipTest("the interpreter's own tests are not installed")
        self.assertIn("test_gc", modules)
        comparison = self.compare(modules)
        for one in comparison.differences:
            if one.unsteady is not None:
                print(f"# unsteady: {one.line()} ({one.unsteady})")
                continue
            with self.subTest(module=one.module):
                kept = max(comparison.output.glob(f"{one.module}.thread.*.txt")).read_text(encoding="utf-8")
                _, rule, failures = kept.partition("=" * 70)
                self.fail(f"{one.line()}\n{rule}{failures[:6000] or kept[-3000:]}")
        compared = {name: results["stock"] for name, results in comparison.modules.items() if "thread" in results}
        for module in set(modules) - set(compared):
            print(f"# not compared: {module} {comparison.modules[module]['stock'].ending} on stock")
        self.assertGreater(sum(len(stock.passed()) for stock in compared.values()), 500)


class FreeThreaded:
    """Interpreters without a lock find their objects through their own allocator, so Cubby serves nothing."""

    QUIET = {"CUBBY_QUIET": "1"}

    def test_cubby_stands_back_and_says_so_in_one_line(self):
        self.assertStandsBack(probe(self.interpreter.path), "standing back: a free-threaded interpreter")
        self.assertRan(probe(self.interpreter.path, variables=self.QUIET), STOCK)

    def test_no_choice_of_heaps_or_servers_makes_cubby_serve(self):
        for variables in ({"CUBBY_HEAPS": "thread"}, {"CUBBY_HEAPS": "lock"}, {"CUBBY_OBJ": "libc"}):
            with self.subTest(variables=variables):
                ran = probe(self.interpreter.path, variables=variables)
                self.assertStandsBack(ran, "standing back: a free-threaded interpreter")

    def test_an_interpreter_that_is_told_to_use_its_lock_is_left_alone_too(self):
        ran = probe(self.interpreter.path, variables={"PYTHON_GIL": "1"})
        self.assertStandsBack(ran, "standing back: a free-threaded interpreter")

    def test_programs_are_right(self):
        for name, *arguments in (
            ("lists",),
            ("threads",),
            ("collector",),
            ("roundtrips",),
            ("events",),
            ("subinterpreters", "stock"),
        ):
            with self.subTest(program=name):
                self.program(name, *arguments, variables=self.QUIET)


class Found(unittest.TestCase):
    def test_there_is_a_newer_interpreter_to_test_on(self):
        if not INTERPRETERS:
            self.skipTest("there is no CPython 3.12 or later; tools/newer-python 3.13 builds one")


INTERPRETERS = interpreters_find()
for found in INTERPRETERS:
    kind = FreeThreaded if found.is_free_threaded else Served
    name = "CPython_" + found.name.replace(".", "_")  # on the command line: CPython_3_13.test_...
    globals()[name] = type(name, (kind, NewerTestCase), {"interpreter": found, "__module__": __name__})

plain_sentence = tap.sentence


def sentence(test):
    """The same promise is made for several interpreters: the line says for which."""
    found = getattr(test, "interpreter", None)
    return plain_sentence(test) + (f", on CPython {found.name}" if found else "")


if __name__ == "__main__":
    tap.sentence = sentence
    tap.main()
