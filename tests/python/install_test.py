"""Preloaded, Cubby serves the object and the memory domain of an interpreter, and leaves raw alone."""

import itertools

import tap
from preload import PROGRAMS, PYTHON, STOCK, PreloadTestCase, probe, python, run

CHOICES = ("cubby", "libc", "stock")


class Install(PreloadTestCase):
    def test_obj_and_mem_are_served_by_cubby_and_raw_stays_stock(self):
        self.assertServed(probe(PYTHON))

    def test_without_the_preload_the_interpreter_serves_itself(self):
        self.assertRan(probe(PYTHON, preload=False), STOCK)

    def test_all_entry_points_of_both_domains_give_blocks_of_cubby(self):
        self.program("entry_points")

    def test_raw_blocks_are_libc_blocks(self):
        self.unlessSanitized("libc's malloc is replaced")
        self.program("raw_blocks")

    def test_no_pool_of_the_interpreter_is_in_use(self):
        ask = "import sys; sys._debugmallocstats()"
        stock, cubby = python("-c", ask, preload=False), python("-c", ask)
        self.assertIn("# arenas", stock.err)
        self.assertNotIn("# arenas", cubby.err)
        self.assertEqual((cubby.status, cubby.out), (0, ""))

    def test_the_interpreter_counts_no_block_of_its_own(self):
        ask = "import sys; print(sys.getallocatedblocks())"
        self.assertRan(python("-c", ask), "0")

    def test_an_interpreter_that_is_served_gets_no_note(self):
        self.assertRan(python("-c", "pass"), "")

    def test_programs_that_python_starts_are_served_too(self):
        code = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
        self.assertServed(probe(PYTHON, "-c", code, PYTHON))

    def test_an_interpreter_started_without_the_preload_is_not_served(self):
        code = "import os, subprocess, sys; del os.environ['LD_PRELOAD']; sys.exit(subprocess.call(sys.argv[1:]))"
        self.assertRan(probe(PYTHON, "-c", code, PYTHON), STOCK)


class Choice(PreloadTestCase):
    def test_each_combination_of_choices_puts_each_domain_where_it_was_asked_for(self):
        for obj, mem in itertools.product(CHOICES, repeat=2):
            with self.subTest(obj=obj, mem=mem):
                ran = probe(PYTHON, variables={"CUBBY_OBJ": obj, "CUBBY_MEM": mem})
                self.assertRan(ran, f"raw=stock mem={mem} obj={obj}")

    def test_the_raw_domain_is_served_where_it_was_asked_for(self):
        for raw, others in itertools.product(CHOICES, repeat=2):
            with self.subTest(raw=raw, others=others):
                ran = probe(PYTHON, variables={"CUBBY_RAW": raw, "CUBBY_OBJ": others, "CUBBY_MEM": others})
                # The interpreter's own functions take what is too large for them from the raw domain.
                served = "mixed" if raw == "cubby" and others == "stock" else others
                self.assertRan(ran, f"raw={raw} mem={served} obj={served}")

    def test_a_served_raw_domain_and_a_lock_heap_do_not_go_together(self):
        ran = probe(PYTHON, variables={"CUBBY_RAW": "cubby", "CUBBY_HEAPS": "lock"})
        self.assertEqual((ran.status, ran.out.strip()), (0, STOCK))
        self.assertIn("CUBBY_HEAPS=lock does not go with CUBBY_RAW=cubby", ran.err)

    def test_programs_run_on_a_served_raw_domain_as_on_stock(self):
        for name in ("threads", "forks", "crossings", "entry_points"):
            with self.subTest(program=name):
                self.program(name, variables={"CUBBY_RAW": "cubby"})
        stock = python(PROGRAMS / "workload.py", preload=False)
        self.assertRan(python(PROGRAMS / "workload.py", variables={"CUBBY_RAW": "cubby"}), stock.out.strip())

    def test_each_combination_of_choices_gives_the_stock_results(self):
        program = PROGRAMS / "workload.py"
        stock = python(program, preload=False)
        self.assertRan(stock)
        self.assertIn("workload", stock.out)
        for obj, mem in itertools.product(CHOICES, repeat=2):
            with self.subTest(obj=obj, mem=mem):
                ran = python(program, variables={"CUBBY_OBJ": obj, "CUBBY_MEM": mem})
                self.assertRan(ran, stock.out.strip())

    def test_an_empty_choice_is_the_default(self):
        self.assertServed(probe(PYTHON, variables={"CUBBY_OBJ": "", "CUBBY_MEM": ""}))

    def test_one_choice_leaves_the_other_domain_at_its_default(self):
        self.assertRan(probe(PYTHON, variables={"CUBBY_MEM": "stock"}), "raw=stock mem=stock obj=cubby")
        self.assertRan(probe(PYTHON, variables={"CUBBY_OBJ": "libc"}), "raw=stock mem=cubby obj=libc")

    def test_a_wrong_choice_is_answered_with_the_right_ones_and_the_program_does_not_start(self):
        names = ("CUBBY_OBJ", "CUBBY_MEM", "CUBBY_RAW")
        for name, value in itertools.product(names, ("tcmalloc", "CUBBY", "cubby ", "1")):
            with self.subTest(name=name, value=value):
                ran = probe(PYTHON, variables={name: value})
                self.assertEqual((ran.status, ran.out), (2, ""))
                self.assertEqual(len(ran.err.splitlines()), 1, ran.err)
                for word in ("cubby: ", name, *CHOICES, "not started"):
                    self.assertIn(word, ran.err)

    def test_a_wrong_setting_is_mentioned_even_when_told_to_be_quiet(self):
        ran = probe(PYTHON, variables={"CUBBY_OBJ": "tcmalloc", "CUBBY_QUIET": "1"})
        self.assertEqual((ran.status, ran.out), (2, ""))
        self.assertIn("CUBBY_OBJ=tcmalloc", ran.err)

    def test_a_name_that_is_almost_right_is_answered_with_the_right_one(self):
        ran = probe(PYTHON, variables={"CUBBY_RETAIN_SM": "5"})
        self.assertEqual((ran.status, ran.out), (2, ""))
        self.assertIn("CUBBY_RETAIN_MS", ran.err)
        self.assertServed(probe(PYTHON, variables={"CUBBY_HOME": "5"}))

    def test_a_program_that_is_no_interpreter_does_not_start_either(self):
        ran = run(["echo", "started"], variables={"CUBBY_HUGE_PAGES": "maybe"})
        self.assertEqual((ran.status, ran.out), (2, ""))
        self.assertIn("CUBBY_HUGE_PAGES=maybe: expected 0 or 1", ran.err)

    def test_quiet_and_served_is_served(self):
        self.assertServed(probe(PYTHON, variables={"CUBBY_QUIET": "1"}))


if __name__ == "__main__":
    tap.main()
