# SPDX-License-Identifier: MIT
"""What a tool reports of misused blocks, and that it has nothing to report of others.

    reports_test.py asan|valgrind [MISUSE CLEAN]

Each misuse is a run of its own, at a small, a medium and a large size. Without the two programs, which are not built
where the tool's header is not there, and without the tool, the tests say so and are skipped. Prints TAP.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from tap import main, test  # noqa: E402

TOOL = sys.argv[1]
PROGRAMS = [os.path.abspath(program) for program in sys.argv[2:]]
VALGRIND = ["valgrind", "--leak-check=full", "--num-callers=30", "--error-exitcode=99"]
COMMAND = [] if TOOL == "asan" else VALGRIND
# None of the sizes is a size class, so that every block is a little larger.
SIZES = [20, 1003, 100003]
TYPED_SIZES = [24]

# What is done, as the tools call it.
READ, WRITE = ("READ of size", "Invalid read of size"), ("WRITE of size", "Invalid write of size")
# Where it was done; AddressSanitizer only knows that it must not be.
FREED = ("use-after-poison", r"inside a block of size {size} free'd")
PAST_END = ("use-after-poison", r"0 bytes after a block of size {size} alloc'd")


def reason_to_skip():
    if not PROGRAMS:
        return f"this build has no programs for {TOOL}: its compiler or header lacks it, or another sanitizer is on"
    if TOOL == "valgrind" and shutil.which("valgrind") is None:
        return "valgrind is not installed"
    return None


def run(*arguments):
    """One run under the tool: its exit status and its report."""
    environment = dict(os.environ, ASAN_OPTIONS="exitcode=99:detect_leaks=1")
    result = subprocess.run([*COMMAND, *arguments], env=environment, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stderr, result.stdout


def expect(name, what, where, sizes=None):
    """Every size's report has the words, and names the function that did it."""
    skipped = reason_to_skip()
    for size in [] if skipped else sizes or SIZES:
        status, report, _ = run(PROGRAMS[0], name, str(size))
        assert status == 99, f"{name} {size}: status {status}: {report}"
        for text in (what, where):
            pattern = text[TOOL == "valgrind"].format(size=f"{size:,}")
            assert re.search(pattern, report), f"{name} {size}: no {pattern!r} in {report}"
        assert re.search(rf"\b{name}\b.*misuse\.c", report), f"{name} {size}: the function is not in {report}"
    return skipped


@test
def a_read_of_a_freed_block_is_reported():
    return expect("read_after_free", READ, FREED)


@test
def a_write_to_a_freed_block_is_reported():
    return expect("write_after_free", WRITE, FREED)


@test
def a_read_of_a_block_that_another_thread_freed_is_reported():
    return expect("read_after_free_by_another_thread", READ, FREED)


@test
def a_read_of_a_freed_block_whose_page_was_given_back_is_reported():
    return expect("read_after_trim", READ, FREED)


@test
def a_read_of_a_block_that_realloc_moved_is_reported():
    return expect("read_after_move", READ, FREED)


@test
def a_read_of_a_block_whose_heap_was_destroyed_is_reported():
    return expect("read_after_heap", READ, FREED)


@test
def a_read_of_a_typed_block_that_was_deleted_is_reported():
    return expect("read_after_delete", READ, FREED, TYPED_SIZES)


@test
def a_write_right_behind_the_size_asked_for_is_reported():
    return expect("write_past_end", WRITE, PAST_END)


@test
def a_read_right_behind_a_zeroed_block_is_reported():
    return expect("read_past_end_of_calloc", READ, PAST_END)


@test
def a_read_right_behind_an_aligned_block_is_reported():
    return expect("read_past_end_of_aligned", READ, PAST_END)


@test
def a_write_right_behind_a_typed_block_is_reported():
    return expect("write_past_end_of_typed", WRITE, PAST_END, TYPED_SIZES)


@test
def a_write_behind_what_a_block_was_shrunk_to_in_place_is_reported():
    # The block's size is the new one.
    where = (PAST_END[0], r"0 bytes after a block of size [\d,]+ alloc'd")
    return expect("write_past_end_after_shrinking", WRITE, where)


@test
def a_read_of_memory_that_was_never_given_out_is_reported():
    return expect("read_of_memory_never_given", READ, ("use-after-poison", "Address 0x[0-9a-f]+ is"), SIZES[:2])


@test
def a_block_freed_twice_is_reported():
    # A large one is refused by Cubby itself: its pages are nobody's.
    where = (FREED[0], "Address 0x[0-9a-f]+ is")
    return expect("free_twice", ("READ of size", r"Invalid free\(\)"), where, SIZES[:2])


def valgrind_only(name, what):
    if TOOL != "valgrind":
        return "AddressSanitizer does not look for it"
    return expect(name, ("", what), ("", what))


@test
def a_branch_on_what_was_never_written_is_reported():
    return valgrind_only("branch_on_unwritten", "depends on uninitialised value")


@test
def a_branch_on_what_realloc_added_is_reported():
    return valgrind_only("branch_on_unwritten_after_growing", "depends on uninitialised value")


@test
def a_block_that_nothing_points_to_is_reported_as_lost():
    return valgrind_only("leak", "{size} bytes in 1 blocks are definitely lost")


@test
def nothing_is_reported_of_a_program_that_keeps_the_rules():
    skipped = reason_to_skip()
    if skipped is None:
        status, report, output = run(PROGRAMS[1], "20000" if TOOL == "asan" else "3000")
        assert status == 0 and output == "clean\n", f"status {status}: {output}{report}"
        assert "ERROR SUMMARY: 0 errors" in report if TOOL == "valgrind" else report == "", report
    return skipped


sys.exit(main())
