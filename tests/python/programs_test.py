"""Programs of many kinds run on Cubby as they do without it."""

import re
import shutil

import tap
from preload import HEAPS, PROGRAMS, PYTHON, PreloadTestCase, python, run


class Language(PreloadTestCase):
    def test_the_standard_library_can_be_imported(self):
        stock, cubby = (python(PROGRAMS / "everything.py", preload=preload) for preload in (False, True))
        self.assertRan(cubby, stock.out.strip())
        self.assertRegex(stock.out, r"^imported \d{3}")

    def test_encoders_and_decoders_give_back_what_went_in(self):
        self.program("roundtrips")

    def test_containers_and_numbers_keep_their_contents(self):
        self.program("lists")

    def test_deep_recursion_and_deep_structures_work(self):
        self.program("recursion")

    def test_containers_grow_to_200_megabytes_by_small_steps_and_shrink_again(self):
        self.program("growth")

    def test_strings_of_every_width_and_length_are_right(self):
        self.program("strings")

    def test_cycles_weak_references_and_finalisers_work(self):
        self.program("collector")

    def test_blocks_may_cross_domains_as_on_stock(self):
        self.program("domains", preload=False)
        self.program("domains")

    def test_blocks_may_reach_the_c_library_as_on_stock(self):
        self.program("crossings", preload=False)
        self.program("crossings")
        self.program("crossings", variables={"CUBBY_HEAPS": "thread"})

    def test_the_first_block_that_reaches_the_c_library_is_reported_when_asked(self):
        ran = python(PROGRAMS / "crossings.py", variables={"CUBBY_CROSSINGS": "1"})
        self.assertEqual((ran.status, ran.out.strip()), (0, "right"), ran)
        self.assertRegex(ran.err, r"^cubby: free of the C library got a block of .* from .*\n$")


class Tools(PreloadTestCase):
    """What looks at memory, or into a running program."""

    def test_tracemalloc_can_be_put_on_and_taken_off(self):
        self.program("tracing")

    def test_snapshots_of_tracemalloc_differ_by_what_was_taken_between(self):
        self.programOnEachHeap("snapshots")

    def test_a_program_traced_from_its_start_counts_what_it_takes(self):
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                code = ["-X", "tracemalloc=3", PROGRAMS / "snapshots.py", "from-the-start"]
                self.assertRan(python(*code, variables={"CUBBY_HEAPS": heaps}), "right")

    def test_a_program_traced_from_its_start_is_right(self):
        self.program("lists", variables={"PYTHONTRACEMALLOC": "5"})

    def test_a_program_under_a_profiler_is_right(self):
        ran = python("-m", "cProfile", PROGRAMS / "lists.py")
        self.assertEqual((ran.status, ran.out.split()[0], ran.err), (0, "right", ""), ran)

    def test_an_interactive_session_is_right(self):
        ran = python("-i", "-q", input="x = [str(i) for i in range(1000)]\nprint(len(x), x[-1])\n")
        self.assertEqual((ran.status, ran.out.strip()), (0, "1000 999"), ran)

    def test_allocation_statistics_at_the_end_can_be_asked_for(self):
        ran = python("-c", "print(1)", variables={"PYTHONMALLOCSTATS": "1"})
        self.assertEqual((ran.status, ran.out.strip()), (0, "1"), ran)


class Concurrency(PreloadTestCase):
    def test_many_threads_that_pass_blocks_on_are_right(self):
        self.program("threads")

    def test_forked_workers_are_served_and_right(self):
        self.programOnEachHeap("processes", "fork")

    def test_spawned_workers_are_served_and_right(self):
        self.programOnEachHeap("processes", "spawn")

    def test_workers_of_a_fork_server_are_served_and_right(self):
        self.programOnEachHeap("processes", "forkserver")

    def test_pools_of_threads_and_of_processes_return_raise_and_cancel(self):
        self.programOnEachHeap("executors")

    def test_children_of_a_fork_come_to_own_little_more_of_their_parent_than_on_stock(self):
        stock, cubby, threads = (
            int(python(PROGRAMS / "fork_sharing.py", preload=preload, variables={"CUBBY_HEAPS": heaps}).out)
            for preload, heaps in ((False, None), (True, None), (True, "thread"))
        )
        # Of about 100 MiB that they share: a bin may hand out 16 KiB where stock hands out what is left of a pool.
        self.assertLess(cubby, stock + 2048)
        self.assertLess(threads, stock + 2048)

    def test_threads_with_heaps_of_their_own_are_right(self):
        for name in ("threads", "forks", "events", "signals"):
            with self.subTest(program=name):
                self.program(name, variables={"CUBBY_HEAPS": "thread"})

    def test_parent_and_child_of_a_fork_do_not_disturb_each_other(self):
        self.program("forks")

    def test_asyncio_and_subprocess_work(self):
        self.program("events")

    def test_children_of_busy_threads_run_python_before_exec_and_get_the_right_descriptors(self):
        self.programOnEachHeap("children")

    def test_an_asyncio_server_answers_tasks_threads_and_another_process(self):
        self.programOnEachHeap("services")

    def test_signal_handlers_that_allocate_do_no_harm(self):
        self.program("signals")

    def test_faulthandler_says_where_a_program_is_and_where_it_died(self):
        self.programOnEachHeap("faults")


class StandardTests(PreloadTestCase):
    """The interpreter's own test suite, where it is installed, has the same results as without Cubby."""

    MODULES = ("test_list", "test_dict", "test_set", "test_float", "test_int", "test_thread", "test_fork1", "test_json")

    def find_suite(self):
        """An interpreter of a version that is served and has its own tests."""
        names = [PYTHON] + [shutil.which(f"python3.{minor}") for minor in range(11, 6, -1)]
        for name in filter(None, names):
            if run([name, "-c", "import test.test_list, test.test_dict"], preload=False).status == 0:
                return name
        return self.skipTest("no interpreter with its own tests (libpython3.11-testsuite) is installed")

    def failures(self, interpreter, modules, preload):
        """Those of the modules that did not pass."""
        ran = run([interpreter, "-m", "test", *modules], preload=preload)
        passed = set(re.findall(r"\] (test_\w+)", ran.out)) if ran.status == 0 else set()
        return [module for module in modules if module not in passed], ran

    def test_the_interpreter_s_own_tests_have_the_stock_results(self):
        interpreter = self.find_suite()
        suspects, ran = self.failures(interpreter, self.MODULES, True)
        if suspects:
            # Not on every machine do all of them pass: what fails without Cubby, too, says nothing about it.
            for module in suspects:
                with self.subTest(module=module):
                    _, stock = self.failures(interpreter, [module], False)
                    _, cubby = self.failures(interpreter, [module], True)
                    self.assertEqual(cubby.status, stock.status, cubby)
        self.assertIn("test_list", ran.out)


if __name__ == "__main__":
    tap.main()
