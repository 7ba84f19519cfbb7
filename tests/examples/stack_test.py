# SPDX-License-Identifier: MIT
"""The example interpreter: several programs, and what it says of wrong ones. stack_test.py PROGRAM..."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "stack"
PROGRAMS = []  # the interpreter, built with each library


class Stack(unittest.TestCase):
    def run_source(self, source, *options):
        """What each build makes of a program, which must be the same."""
        results = set()
        for program in PROGRAMS:
            done = subprocess.run(
                [program, "--check", *options], input=source.encode(), capture_output=True, timeout=60, check=False
            )
            results.add((done.returncode, done.stdout.decode(), done.stderr.decode()))
        self.assertEqual(len(results), 1, results)
        return results.pop()

    def prints(self, source, *lines):
        self.assertEqual(self.run_source(source), (0, "".join(line + "\n" for line in lines), ""))

    def fails(self, source, where, why, *options):
        status, _, errors = self.run_source(source, *options)
        self.assertEqual((status, errors), (1, f"/dev/stdin:{where}: {why}\n"))

    def run_file(self, name):
        for program in PROGRAMS:
            yield subprocess.run([program, "--check", FOLDER / name], capture_output=True, text=True, timeout=60)

    def test_the_primes_are_found(self):
        for done in self.run_file("primes.st"):
            self.assertEqual(done.stdout, "[2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47]\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_lists_and_dicts_hold_each_other(self):
        for done in self.run_file("words.st"):
            self.assertEqual(done.stdout, "[{'ada': 36, 'alan': 41, 1: 'and 1.0 is the same'}, 2.5]\n36\n")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_numbers_are_calculated(self):
        self.prints("6 7 * print 7 2 / print -7 2 / print 7 2.0 / print 1 0.5 - print", "42", "3", "-4", "3.5", "0.5")
        self.prints("1 2 < print 2 1 < print 1 1.5 < print", "1", "0", "1")

    def test_a_program_may_be_empty_or_a_comment(self):
        self.prints("")
        self.prints(" \n# nothing")

    def test_a_list_that_holds_itself_goes_with_the_heap(self):
        self.prints('list :a $a $a append "over" print', "'over'")

    def test_the_place_of_what_is_wrong_is_told(self):
        self.fails("1 2 + print\n  3 oops", "2:5", "there is no such word")
        self.fails("1\n+", "2:1", "this needs more values than the stack holds")
        self.fails("1 :x $y", "1:6", "no key 'y' in the dict")
        self.fails(":x", "1:1", "this needs more values than the stack holds")
        self.fails("9223372036854775807 1 +", "1:23", "9223372036854775807 + 1 does not fit into 64 bits")
        self.fails("1 0 /", "1:5", "division by zero")
        self.fails("99999999999999999999", "1:1", "this is no number, or none that is possible here")
        self.fails("12x", "1:1", "this is no number, or none that is possible here")
        self.fails("1 " + "2" * 100, "1:3", "this is no number, or none that is possible here")
        self.fails('1 "a" +', "1:7", "cannot add int and str; both must be numbers")
        self.fails('"abc', "1:1", "this string does not end")
        self.fails("list 5 get", "1:8", "index 5 is outside a list of 0 items")
        self.fails("dict list 1 put", "1:13", "a list cannot be a key; use an int, a float or a str")
        self.fails("1 2 append", "1:5", "this needs a list, not a int")
        self.fails("1\n ( 2 ( 3 )", "2:2", "this bracket is not closed")
        self.fails("1 )", "1:3", "this bracket closes nothing")
        self.fails("( 1 ) ( oops ) while", "1:9", "there is no such word")

    def test_blocks_within_blocks_have_an_end(self):
        source = ":a ( $a $a while 0 ) :a $a $a while"
        self.fails("1 " + source, "1:14", "brackets are nested too deeply")

    def test_what_is_too_much_for_a_small_program_is_refused(self):
        self.fails("( 1 ) ( ) while", "1:3", "the program takes more steps than it may", "--small")
        text = '"' + "x" * (20 << 20) + '" :a'
        status, _, errors = self.run_source(text, "--small")
        self.assertEqual((status, errors), (1, "/dev/stdin:1:1: no memory, or a limit is reached\n"))

    def test_statistics_are_printed_when_they_are_asked_for(self):
        for program in PROGRAMS:
            done = subprocess.run([program, "--stats"], input="1 2 3 :x", capture_output=True, text=True)
            self.assertRegex(done.stderr, r"\A2 values on the stack, 1 names, \d+ blocks in pools of \d+ bytes\n\Z")

    def test_a_wrong_option_or_file_is_said(self):
        for program in PROGRAMS:
            done = subprocess.run([program, "--stat"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr[:6]), (2, "usage:"))
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([program, folder + "/none.st"], capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (2, f"{folder}/none.st: No such file or directory\n"))


if __name__ == "__main__":
    PROGRAMS = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
