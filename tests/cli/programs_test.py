# SPDX-License-Identifier: MIT
"""The programs of the suites gupb and pybench, each in its quick form: programs_test.py ADAPTER. Prints TAP."""

import csv
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import main, test

ADAPTER = os.path.abspath(sys.argv[1])
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "lab", "gupb")
PROGRAMS = os.path.join(FOLDER, "programs")
SKIPPED = 77
# Runs a program whose work is done, but comes out a little different.
TAMPER = """
import runpy, sys
sys.path.insert(0, sys.argv[1])
import program
def tamper(result):
    if isinstance(result, (list, tuple, str, bytes, bytearray)):
        return result[:-1]
    return result + 1 if isinstance(result, (int, float)) else None
def main(benchmarks, original=program.main):
    def change(prepare, work, check):
        return prepare, lambda loops, prepared: tamper(work(loops, prepared)), check
    original({name: change(*functions) for name, functions in benchmarks.items()})
program.main = main
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROWS = read("rows.csv")


def run(arguments, **environment):
    whole = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], env={**whole, **environment}, capture_output=True, text=True, timeout=200
    )


def run_rows(before, after, **environment):
    """All rows, two at a time; those whose package is not there are left out, if they say so."""

    def one(row):
        program = os.path.join(PROGRAMS, row["file"])
        return run([*before, program, row["name"], "--quick", *after], **environment)

    with ThreadPoolExecutor(2) as pool:
        results = list(zip(ROWS, pool.map(one, ROWS)))
    for row, result in results:
        assert result.returncode != SKIPPED or "is not installed" in result.stderr, (row, result.stderr)
    kept = [(row["name"], result) for row, result in results if result.returncode != SKIPPED]
    assert len(kept) >= 70, "only those that need a package may be left out"
    return kept


CHECKS = {}


@test
def every_program_comes_out_right_under_stock():
    for name, result in run_rows([], ["--loops=2"]):
        assert result.returncode == 0 and result.stderr == "", (name, result.stderr)
        line = json.loads(result.stdout)
        assert (line["name"], line["loops"], line["size"], line["preloaded"]) == (name, 2, "quick", []), line
        assert line["seconds"] > 0 and line["cpu_seconds"] > 0 and line["peak_kib"] > 1000, line
        CHECKS[name] = line["check"]


@test
def every_program_comes_out_the_same_under_cubby():
    for name, result in run_rows([], ["--loops=2"], LD_PRELOAD=ADAPTER):
        assert result.returncode == 0 and result.stderr == "", (name, result.stderr)
        line = json.loads(result.stdout)
        assert line["preloaded"] == [os.path.basename(ADAPTER)], line
        assert line["check"] == CHECKS[name], (name, line["check"], CHECKS[name])


@test
def every_program_refuses_a_result_that_is_not_its_own():
    for name, result in run_rows(["-c", TAMPER, PROGRAMS], []):
        assert result.returncode == 1, (name, result.returncode, result.stdout, result.stderr)
        assert result.stdout == "" and result.stderr.startswith(name + ": "), (name, result.stderr)
        assert result.stderr.count("\n") == 1, (name, result.stderr)


@test
def every_row_of_the_four_tables_has_a_program():
    names = {row["name"] for row in ROWS if row["suite"] == "gupb"}
    published = read("figures.csv")
    tables = [{row["benchmark"] for row in published if row["table"] == table} for table in "1234"]
    assert [len(table) for table in tables] == [43, 43, 52, 52]
    assert names == set.union(*tables)
    assert all(abs(float(row["speedup_percent"])) < 30 for row in published)


@test
def every_row_names_a_file_and_every_stand_in_says_so_in_its_first_lines():
    assert len({row["name"] for row in ROWS}) == len(ROWS)
    for row in ROWS:
        with open(os.path.join(PROGRAMS, row["file"]), encoding="utf-8") as file:
            first = file.read(1500)
        assert row["suite"] in ("gupb", "pybench"), row
        if row["note"].startswith("stand-in"):
            assert row["name"] in first and ("stand-in" in first or "stands in" in first or "came after" in first), row


@test
def a_package_that_is_not_there_is_named():
    hidden = "import sys; sys.modules['django'] = None; import runpy; sys.argv = sys.argv[1:]; "
    hidden += "sys.path.insert(0, sys.argv[0].rpartition('/')[0]); runpy.run_path(sys.argv[0], run_name='__main__')"
    result = run(["-c", hidden, os.path.join(PROGRAMS, "templates.py"), "django_v3"])
    assert (result.returncode, result.stdout) == (SKIPPED, ""), result
    assert result.stderr == "python3-django is not installed\n", result.stderr


@test
def wrong_options_are_refused_with_the_right_ones():
    for wrong in ("--loops=0", "--loops=x", "--loops", "--size=1999", "--fast", "fannkuch"):
        result = run([os.path.join(PROGRAMS, "jsons.py"), "json_load", wrong])
        assert result.returncode == 2 and wrong in result.stderr and "--loops=N" in result.stderr, (wrong, result)
    result = run([os.path.join(PROGRAMS, "jsons.py")])
    assert result.returncode == 2 and "json_load" in result.stderr, result


@test
def the_sizes_of_today_are_others():
    for row in ROWS:
        if row["name"] in ("float", "telco", "django_v3"):
            arguments = [os.path.join(PROGRAMS, row["file"]), row["name"]]
            result = run([*arguments, "--size=today"])
            if result.returncode != SKIPPED:
                assert json.loads(result.stdout)["size"] == "today", (row, result.stderr)


sys.exit(main())
