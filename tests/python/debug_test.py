"""Interpreters with assertions and checked allocators built in (Debian's python3-dbg), on each kind of heap."""

import shutil

import tap
from preload import HEAPS, PROBE, PROGRAMS, SERVED, PreloadTestCase, run

# Checks make them many times slower: the quick ones of programs/.
SMOKE = ("lists", "collector", "tracing")


class DebugBuild(PreloadTestCase):
    def setUp(self):
        self.interpreter = shutil.which("python3-dbg")
        if self.interpreter is None:
            self.skipTest("python3-dbg (53 MB to fetch) is not installed")

    def ran(self, *arguments, heaps, **options):
        return run([self.interpreter, *arguments], variables={"CUBBY_HEAPS": heaps}, **options)

    def test_it_is_served_under_its_own_checks(self):
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                self.assertRan(self.ran(PROBE, heaps=heaps), SERVED)
                code = "import sys; print(hasattr(sys, 'gettotalrefcount'))"
                self.assertRan(self.ran("-c", code, heaps=heaps), "True")

    def test_programs_of_many_kinds_are_right(self):
        for heaps in HEAPS:
            for name in SMOKE:
                with self.subTest(program=name, heaps=heaps):
                    self.assertRan(self.ran(PROGRAMS / f"{name}.py", heaps=heaps), "right")

    def test_forked_workers_are_right(self):
        for heaps in HEAPS:
            with self.subTest(heaps=heaps):
                self.assertRan(self.ran(PROGRAMS / "processes.py", "fork", heaps=heaps), "right")

    def test_a_block_that_was_written_past_is_found_by_the_interpreter_as_without_cubby(self):
        code = (
            "import ctypes; api = ctypes.pythonapi; api.PyMem_Malloc.restype = ctypes.c_void_p\n"
            "block = api.PyMem_Malloc(ctypes.c_size_t(24)); ctypes.memset(block + 24, 0, 1)\n"
            "api.PyMem_Free(ctypes.c_void_p(block))"
        )
        for preload in (False, True):
            for heaps in HEAPS:
                ran = self.ran("-c", code, heaps=heaps, preload=preload)
                self.assertEqual(ran.status, -6, ran)
                self.assertIn("bad trailing pad byte", ran.err)


if __name__ == "__main__":
    tap.main()
