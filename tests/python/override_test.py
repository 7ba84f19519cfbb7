"""What makes the interpreter choose its own allocators makes Cubby stand back, with one line; nothing else does.

But what asks for the interpreter's debug checks gets Cubby's: all three domains are served, and nothing is said.
"""

import pathlib
import tempfile

import tap
from preload import CHECKED, HERE, PROBE, PYTHON, SERVED, STOCK, PreloadTestCase, python, run

CODE = ("-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); import probe; probe.main()")

# What asks for debug checks, and so does not make Cubby stand back.
ASKS_FOR_CHECKS = ("PYTHONMALLOC=debug", "-X dev", "PYTHONDEVMODE")

# Environment, options before -c, and what is named as the reason; None where Cubby serves as it is.
MATRIX = [
    ({}, "", None),
    # PYTHONMALLOC
    ({"PYTHONMALLOC": "default"}, "", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "malloc"}, "", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "pymalloc"}, "", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "debug"}, "", "PYTHONMALLOC=debug"),
    ({"PYTHONMALLOC": "debug"}, "-E", None),
    ({"PYTHONMALLOC": "debug"}, "-X dev", "PYTHONMALLOC=debug"),
    ({"PYTHONMALLOC": "malloc_debug"}, "", "PYTHONMALLOC=debug"),
    ({"PYTHONMALLOC": "pymalloc_debug"}, "", "PYTHONMALLOC=debug"),
    ({"PYTHONMALLOC": ""}, "", None),
    ({"PYTHONMALLOC": "malloc"}, "-E", None),
    ({"PYTHONMALLOC": "malloc"}, "-I", None),
    ({"PYTHONMALLOC": "malloc"}, "-sE", None),
    ({"PYTHONMALLOC": "malloc"}, "-BIq", None),
    ({"PYTHONMALLOC": "malloc"}, "-B -W ignore -E", None),
    ({"PYTHONMALLOC": "malloc"}, "-W E", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "malloc"}, "-WI", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "malloc"}, "-XE", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "malloc"}, "-s -O", "PYTHONMALLOC"),
    # development mode
    ({}, "-X dev", "-X dev"),
    ({}, "-Xdev", "-X dev"),
    ({}, "-BXdev", "-X dev"),
    ({}, "-Bs -X dev", "-X dev"),
    ({}, "-sX dev", "-X dev"),
    ({}, "-X utf8 -X dev", "-X dev"),
    ({}, "-X dev -X utf8", "-X dev"),
    ({}, "-W ignore -X dev", "-X dev"),
    ({}, "-Wignore -Xdev", "-X dev"),
    ({}, "-I -X dev", "-X dev"),
    ({}, "-IXdev", "-X dev"),
    ({}, "-E -Xdev", "-X dev"),
    ({}, "--check-hash-based-pycs always -X dev", "-X dev"),
    ({"PYTHONDEVMODE": "1"}, "", "PYTHONDEVMODE"),
    ({"PYTHONDEVMODE": "0"}, "", "PYTHONDEVMODE"),
    ({"PYTHONDEVMODE": ""}, "", None),
    ({"PYTHONDEVMODE": "1"}, "-E", None),
    ({"PYTHONDEVMODE": "1"}, "-I", None),
    # development mode, by a value the interpreter takes for it
    ({}, "-X dev=1", "-X dev"),
    ({}, "-X dev=0", "-X dev"),
    ({}, "-Xdev=", "-X dev"),
    # both
    ({"PYTHONMALLOC": "malloc"}, "-X dev", "PYTHONMALLOC"),
    ({"PYTHONMALLOC": "malloc", "PYTHONDEVMODE": "1"}, "-E", None),
    ({"PYTHONMALLOC": "malloc"}, "-E -X dev", "-X dev"),
    # near misses
    ({}, "-X utf8", None),
    ({}, "-X utf8=1", None),
    ({}, "-X devel", None),
    ({}, "-X de", None),
    ({}, "-W dev", None),
    ({}, "-Wdev -B", None),
    ({}, "-O -B -s -S -q -u", None),
    ({}, "--check-hash-based-pycs always", None),
    ({"PYTHONMALLOCSTATS": ""}, "", None),
    ({"PYTHONOPTIMIZE": "1", "PYTHONUTF8": "1"}, "", None),
    ({"PYTHONTRACEMALLOC": "1"}, "", None),
    ({}, "-X tracemalloc=3", None),
]


class Override(PreloadTestCase):
    def assertFollows(self, ran, reason):
        """Served and silent, or served with checks, or the interpreter's own with one line that gives the reason."""
        expected = SERVED if reason is None else CHECKED if reason in ASKS_FOR_CHECKS else STOCK
        self.assertEqual((ran.status, ran.out.strip()), (0, expected), ran)
        notes = [line for line in ran.err.splitlines() if line.startswith("cubby: ")]
        if reason is None or reason in ASKS_FOR_CHECKS:
            self.assertEqual(notes, [])
        else:
            self.assertEqual(len(notes), 1, ran)
            self.assertIn(reason + " ", notes[0])

    def test_cubby_stands_back_for_each_override_and_for_nothing_else(self):
        for variables, options, reason in MATRIX:
            with self.subTest(variables=variables, options=options):
                self.assertFollows(python(*options.split(), *CODE, variables=variables), reason)

    def test_the_note_is_the_only_difference_to_an_interpreter_without_the_preload(self):
        code = ("-c", "import sys; print(sys.flags); print('error', file=sys.stderr)")
        for variables, options, reason in MATRIX:
            if reason is None:
                continue
            with self.subTest(variables=variables, options=options):
                stock = python(*options.split(), *code, variables=variables, preload=False)
                cubby = python(*options.split(), *code, variables=variables)
                self.assertEqual((cubby.status, cubby.out), (stock.status, stock.out))
                notes = 0 if reason in ASKS_FOR_CHECKS else 1
                self.assertEqual(cubby.err.split("\n", notes)[notes], stock.err)

    def test_a_quiet_cubby_stands_back_without_a_word(self):
        for variables, options in (({"PYTHONMALLOC": "malloc"}, ""), ({"PYTHONMALLOC": "default"}, "-X dev")):
            with self.subTest(variables=variables, options=options):
                ran = python(*options.split(), *CODE, variables={**variables, "CUBBY_QUIET": "1"})
                self.assertRan(ran, STOCK)

    def test_who_asked_for_checks_hears_that_there_are_none(self):
        for variables, note in (
            ({"PYTHONMALLOC": "malloc"}, "debug checks see nothing of this interpreter either"),
            ({"CUBBY_HEAPS": "lock", "CUBBY_RAW": "cubby"}, "debug checks see nothing of this interpreter either"),
            ({"CUBBY_MEM": "stock"}, "CUBBY_MEM=stock: debug checks do not see what the interpreter serves itself"),
            ({"CUBBY_OBJ": "libc"}, "CUBBY_OBJ=libc: debug checks do not see what the C library serves"),
            ({"CUBBY_RAW": "libc"}, "CUBBY_RAW=libc: debug checks do not see what the C library serves"),
        ):
            with self.subTest(variables=variables):
                checked = python("-c", "pass", variables={**variables, "CUBBY_DEBUG": "1"})
                self.assertEqual((checked.status, checked.err.count("debug checks"), checked.err.count("\n")), (0, 1, 1))
                self.assertIn(note, checked.err)
                self.assertNotIn("debug checks", python("-c", "pass", variables=variables).err)
        both = python("-c", "pass", variables={"CUBBY_DEBUG": "1", "CUBBY_MEM": "stock", "CUBBY_OBJ": "stock"})
        self.assertEqual((both.status, both.err.count("debug checks")), (0, 2))

    def test_an_empty_quiet_is_not_quiet(self):
        ran = python(*CODE, variables={"PYTHONMALLOC": "malloc", "CUBBY_QUIET": ""})
        self.assertFollows(ran, "PYTHONMALLOC")

    def test_where_both_domains_are_left_to_the_interpreter_an_override_is_not_mentioned(self):
        stock = {"CUBBY_OBJ": "stock", "CUBBY_MEM": "stock"}
        self.assertRan(python("-X", "dev", *CODE, variables=stock), STOCK)


class EndOfOptions(PreloadTestCase):
    """What follows the program's name is the program's."""

    assertFollows = Override.assertFollows

    def test_what_follows_the_code_of_an_option_c_does_not_count(self):
        self.assertFollows(python(*CODE, "-X", "dev"), None)
        self.assertFollows(python("-B", "-c" + CODE[1], "-X", "dev"), None)
        self.assertFollows(python("-Bc", CODE[1], "-Xdev"), None)
        self.assertFollows(python(*CODE, "-E", variables={"PYTHONMALLOC": "malloc"}), "PYTHONMALLOC")

    def test_options_in_front_of_an_option_c_in_one_word_count(self):
        self.assertFollows(python("-Ec", CODE[1], variables={"PYTHONMALLOC": "malloc"}), None)

    def test_what_follows_a_script_does_not_count(self):
        self.assertFollows(python(PROBE, "-X", "dev"), None)
        self.assertFollows(python("-B", PROBE, "-Xdev"), None)
        self.assertFollows(python("-X", "dev", PROBE), "-X dev")

    def test_what_follows_a_module_does_not_count(self):
        self.assertFollows(python("-m", "probe", "-X", "dev", cwd=HERE), None)
        self.assertFollows(python("-mprobe", "-Xdev", cwd=HERE), None)
        self.assertFollows(python("-X", "dev", "-m", "probe", cwd=HERE), "-X dev")

    def test_what_follows_two_dashes_does_not_count(self):
        self.assertFollows(python("--", PROBE, "-X", "dev"), None)
        self.assertFollows(python("-X", "dev", "--", PROBE), "-X dev")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "-Xdev").write_text(CODE[1])  # a script of that name
            self.assertFollows(python("--", "-Xdev", cwd=folder), None)

    def test_what_follows_a_single_dash_does_not_count(self):
        text = PROBE.read_text()
        self.assertFollows(python("-", "-X", "dev", input=text), None)
        self.assertFollows(python("-X", "dev", "-", input=text), "-X dev")

    def test_a_program_on_standard_input_is_served(self):
        self.assertFollows(python(input=PROBE.read_text()), None)
        self.assertFollows(python("-X", "dev", input=PROBE.read_text()), "-X dev")

    def test_options_in_the_first_line_of_a_script_count(self):
        with tempfile.TemporaryDirectory() as folder:
            for option, reason in (("", None), (" -Xdev", "-X dev"), (" -I", None), (" -IXdev", "-X dev")):
                with self.subTest(option=option):
                    script = pathlib.Path(folder, "script")
                    script.write_text(f"#!{PYTHON}{option}\n{CODE[1]}\n")
                    script.chmod(0o755)
                    self.assertFollows(run([script, "-X", "dev"]), reason)
            script.write_text(f"#!{PYTHON} -I\n{CODE[1]}\n")
            self.assertFollows(run([script], variables={"PYTHONMALLOC": "malloc"}), None)


class CommandLine(PreloadTestCase):
    """Command lines that run no program end as without the preload."""

    def assertSame(self, *arguments, **options):
        stock = python(*arguments, preload=False, **options)
        cubby = python(*arguments, **options)
        notes = [line for line in cubby.err.splitlines(keepends=True) if line.startswith("cubby: ")]
        for note in notes:
            cubby.err = cubby.err.replace(note, "")
        self.assertEqual(cubby, stock)
        return stock, notes

    def test_help_and_version_are_printed(self):
        for option in ("-h", "--help", "-V", "-VV", "--version"):
            with self.subTest(option=option):
                self.assertEqual(self.assertSame(option)[0].status, 0)

    def test_wrong_options_are_refused_by_the_interpreter(self):
        for options in ("-Z", "-X", "-W", "-c", "-m", "--no-such-option", "-E -X", "--check-hash-based-pycs"):
            with self.subTest(options=options):
                self.assertEqual(self.assertSame(*options.split())[0].status, 2)

    def test_an_unknown_allocator_is_refused_by_the_interpreter(self):
        variables = {"PYTHONMALLOC": "cubby"}
        stock, notes = self.assertSame("-c", "pass", variables=variables)
        self.assertNotEqual(stock.status, 0)
        self.assertEqual(len(notes), 1)

    def test_a_missing_script_is_reported_by_the_interpreter(self):
        self.assertEqual(self.assertSame("/no/such/script.py", "-X", "dev")[0].status, 2)


if __name__ == "__main__":
    tap.main()
