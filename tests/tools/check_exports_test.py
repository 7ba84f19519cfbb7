"""tools/check-exports finds symbols that a library should keep to itself."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@unittest.skipUnless(shutil.which("cc") and shutil.which("nm"), "needs cc and nm")
class CheckExports(unittest.TestCase):
    def check(self, source, *pattern):
        with tempfile.TemporaryDirectory() as folder:
            library = pathlib.Path(folder, "library.so")
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=source, text=True, check=True
            )
            ran = subprocess.run(
                [ROOT / "tools/check-exports", library, *pattern], stdout=subprocess.PIPE, text=True, check=False
            )
            return ran.returncode, ran.stdout.replace(str(library), "LIBRARY").splitlines()

    def test_a_library_that_exports_what_it_should_passes(self):
        source = "int cubby_one(void) { return 1; } static int two(void) { return 2; } int cubby_two(void) { return two(); }"
        self.assertEqual(self.check(source, "cubby_*"), (0, []))

    def test_a_stray_function_is_named(self):
        source = "int cubby_one(void) { return 1; } int stray(void) { return 2; }"
        self.assertEqual(self.check(source, "cubby_*"), (1, ["LIBRARY exports stray, which is none of: cubby_*"]))

    def test_a_stray_variable_is_named(self):
        source = "int cubby_one(void) { return 1; } int cubbyhole = 3;"
        self.assertEqual(self.check(source, "cubby_*"), (1, ["LIBRARY exports cubbyhole, which is none of: cubby_*"]))

    def test_a_library_without_the_wanted_symbols_is_refused(self):
        self.assertEqual(self.check("static int one;", "cubby_*"), (1, ["LIBRARY exports no cubby_*"]))

    def test_each_of_several_names_must_be_there_and_no_other(self):
        source = "int cubby_one(void) { return 1; } int open(void) { return 2; }"
        self.assertEqual(self.check(source, "cubby_one", "open"), (0, []))
        self.assertEqual(self.check(source, "cubby_one", "open", "close"), (1, ["LIBRARY exports no close"]))
        self.assertEqual(
            self.check(source, "cubby_one", "cubby_o*"), (1, ["LIBRARY exports open, which is none of: cubby_one cubby_o*"])
        )

    def test_without_a_pattern_nothing_may_be_exported(self):
        self.assertEqual(self.check("static int one;"), (0, []))
        self.assertEqual(self.check("int cubby_one;"), (1, ["LIBRARY exports cubby_one"]))

    def test_a_library_that_cannot_be_read_is_an_error(self):
        ran = subprocess.run(
            [ROOT / "tools/check-exports", "/nowhere.so", "*"], stderr=subprocess.DEVNULL, check=False
        )
        self.assertEqual(ran.returncode, 2)


if __name__ == "__main__":
    unittest.main()
