# SPDX-License-Identifier: MIT
"""`cubby bench lists` from outside: lists_test.py CUBBY HISTORIES. Prints TAP.

A copy of the command finds a stand-in for cubby-lists beside itself, which takes no time. What it is to say on which
allocator and with which rule, it reads from a file. The real programs run at the end.
"""

import glob
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
HISTORIES = sorted(glob.glob(os.path.join(sys.argv[2], "*.txt")))
NATIVE = os.path.join(os.path.dirname(CUBBY), "lab", "native")
REAL = os.path.join(NATIVE, "cubby-lists")
PASSED_ON = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}
# What a row keeps to its end is no leak.
PASSED_ON["ASAN_OPTIONS"] = PASSED_ON.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
# Loops that are enough to come past the first buffers of each row.
ROWS = {"append": 20, "beside": 5, "pop": 20, "grow-shrink": 20, "many": 3000, "nested": 5, "unpickle": 3, "large": 1}

# An item takes a microsecond on Cubby with its own rule, and two everywhere else. Every run is noted in a file.
STAND_IN = r"""#!/bin/sh
here=${0%/*} row=$1 malloc_of=$LD_PRELOAD
for option; do
    case $option in --*) eval "${option#--}" ;; esac
done
echo "$row $on $rule" >> "$here/runs"
items=$loops changes=$loops copied=$((loops * 8)) peak=2048
micros=$((2 * loops))
[ $on$rule = cubbycubby ] && micros=$loops
[ -f "$here/$on" ] && . "$here/$on"
seconds=$((micros / 1000000)).$(printf %06d $((micros % 1000000)))
echo "{\"row\": \"$row\", \"on\": \"$on\", \"rule\": \"$rule\", \"malloc_of\": \"$malloc_of\", \"loops\": $loops," \
    "\"items\": $items, \"cpu_seconds\": $seconds, \"wall_seconds\": $seconds, \"minor_faults\": 5," \
    "\"peak_kib\": $peak, \"changes\": $changes, \"bytes_copied\": $copied}"
"""


class StandIn:
    """A copy of the command in a folder of its own, and what the stand-in beside it is told."""

    def __init__(self, folder):
        self.folder = folder
        self.command = shutil.copy(CUBBY, folder)
        self.native = os.path.join(folder, "lab", "native")
        os.makedirs(self.native)
        program = os.path.join(self.native, "cubby-lists")
        with open(program, "w", encoding="ascii") as file:
            file.write(STAND_IN)
        os.chmod(program, 0o755)

    def tell(self, libc="", cubby=""):
        """Lines of shell for the runs on each; without any they behave."""
        for name, lines in (("libc", libc), ("cubby", cubby), ("runs", "")):
            with open(os.path.join(self.native, name), "w", encoding="ascii") as file:
                file.write(lines + "\n" if lines else "")

    def runs(self):
        with open(os.path.join(self.native, "runs"), encoding="ascii") as file:
            return [tuple(line.split()) for line in file]

    def words(self, *options):
        arms = () if any(option.startswith("--arms") for option in options) else ("--arms=libc",)
        return [self.command, "bench", "lists", "--quick", *arms, *options]

    def run(self, *options):
        return run(self.words(*options))

    def json(self, *options):
        result = self.run("--json", *options)
        assert result.returncode == 0, (result.returncode, result.stderr)
        return json.loads(result.stdout)


def run(words):
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/", **PASSED_ON}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=200)


def entry(row, arm, rule):
    (found,) = [entry for entry in row["entries"] if (entry["arm"], entry["rule"]) == (arm, rule)]
    return found


@test
def a_table_for_each_row_shows_every_arm_with_both_rules():
    STAND.tell()
    result = STAND.run()
    assert result.returncode == 0 and result.stderr == "", result.stderr
    tables = result.stdout.split("\n\n")
    for name in ROWS:
        (table,) = [table for table in tables if table.lstrip().startswith(name + ": ")]
        lines = [line.split() for line in table.splitlines()]
        assert ["cubby", "cubby", "1000.00", "1", "2.0", "8.00", "1000.00"] in lines, table
        for arm, rule in (("cubby", "cpython"), ("libc", "cubby"), ("libc", "cpython")):
            assert [arm, rule, "2000.00", "2.00x", "2.00-2.00", "2.0", "8.00", "1000.00"] in lines, table
    assert "in 8 of 8 rows" in result.stdout and "It is behind" not in result.stdout


@test
def rows_in_which_cubby_is_behind_are_listed_and_its_other_rule_is_no_rival():
    STAND.tell(cubby="[ $rule = cubby ] && micros=$((3 * loops)) peak=2300")
    result = STAND.run("--rows=many")
    assert "in 0 of 1 rows" in result.stdout, result.stdout
    assert "many: 1.50 times the time of libc; 2.2 MiB peak, libc 2.0" in result.stdout, result.stdout
    STAND.tell(cubby="[ $rule = cpython ] && micros=$((loops / 2)) peak=100")
    assert "in 1 of 1 rows" in STAND.run("--rows=many").stdout


@test
def every_entry_runs_beside_cubbys_own_and_both_ways_round():
    STAND.tell()
    row = STAND.json("--rows=nested", "--pairs=3", "--seed=5")["rows"][0]
    assert len(row["pairs"]) == 3 * 2 * 3, "three entries, both ways, three times"
    for arm, rule in (("cubby", "cpython"), ("libc", "cubby"), ("libc", "cpython")):
        pairs = [pair for pair in row["pairs"] if (pair["arm"], pair["rule"]) == (arm, rule)]
        cores = [(pair["cubby_core"], pair["arm_core"]) for pair in pairs]
        assert len(pairs) == 6 and cores[0] == cores[1][::-1], cores
    assert all((pair["cubby_run"]["on"], pair["cubby_run"]["rule"]) == ("cubby", "cubby") for pair in row["pairs"])
    order = [(pair["arm"], pair["rule"]) for pair in row["pairs"]]
    again = STAND.json("--rows=nested", "--pairs=3", "--seed=5")["rows"][0]
    assert [(pair["arm"], pair["rule"]) for pair in again["pairs"]] == order, "the same seed"


@test
def the_ratio_is_taken_within_each_pair():
    # The machine becomes four times as slow from pair to pair; the arm always takes twice Cubby's time.
    count = "$(grep -c \"$row libc cubby\" $here/runs)"
    slower = f"[ $rule = cubby ] && micros=$((micros * (1 << (2 * ({count} % 3)))))"
    STAND.tell(libc=slower)
    row = STAND.json("--rows=pop", "--pairs=3")["rows"][0]
    ratios = [pair["arm_run"]["cpu_seconds"] / pair["cubby_run"]["cpu_seconds"] for pair in row["pairs"]
              if (pair["arm"], pair["rule"]) == ("libc", "cubby")]
    told = entry(row, "libc", "cubby")["time_over_cubby"]["value"]
    assert math.isclose(told, math.exp(sum(map(math.log, ratios)) / len(ratios))), (told, ratios)


@test
def the_json_holds_every_pair_and_figures_by_item():
    STAND.tell()
    result = STAND.json("--rows=append,large", "--pairs=2", "--seed=7")
    assert (result["suite"], result["seed"], result["unit"]) == ("lists", 7, "items")
    assert [row["name"] for row in result["rows"]] == ["append", "large"]
    libc, cubby = entry(result["rows"][0], "libc", "cpython"), entry(result["rows"][0], "cubby", "cubby")
    assert math.isclose(libc["median_cpu_seconds_a_unit"], 2e-6) and libc["pairs"] == 4 and cubby["pairs"] == 12
    assert cubby["bytes_copied_a_unit"] == 8 and cubby["changes_a_unit"] == 1
    assert cubby["peak_kib"] == 2048 and result["rows"][0]["verdict"]["slower"] is False


@test
def an_arm_that_fails_is_dropped_with_its_reason():
    for lines, complaint in (
        ("echo 'a list is wrong' >&2; exit 1", "ended with status 1: a list is wrong"),
        ("echo '{'; exit 0", "it is not JSON"),
        ("loops=3", "it did something else"),
        ("items=0", "it did something else"),
        ("rule=double", "it did something else"),
        ("row=born", "it is another row"),
        ("peak=0", "a figure is missing"),
        ("copied=null", "a figure is missing"),
    ):
        STAND.tell(libc=lines)
        result = STAND.run("--rows=pop")
        assert result.returncode == 1 and "libc is dropped" in result.stderr, result.stderr
        assert complaint in result.stderr and complaint in result.stdout, (complaint, result.stdout)


@test
def without_cubby_nothing_more_is_measured():
    STAND.tell(cubby="exit 9")
    result = STAND.run()
    assert result.returncode == 1 and "cubby is dropped" in result.stderr and "ended with status 9" in result.stderr
    assert len(STAND.runs()) <= 2, STAND.runs()


@test
def a_peer_that_does_not_serve_malloc_is_dropped():
    STAND.tell()
    found = [arm["name"] for arm in STAND.json("--arms=mimalloc,jemalloc,tcmalloc", "--rows=pop")["arms"]
             if arm["state"] == "measured" and arm["name"] != "cubby"]
    if not found:
        return "no peer is installed"
    STAND.tell(libc="malloc_of=/lib/libc.so.6")
    result = STAND.run("--arms=" + found[0], "--rows=pop")
    assert result.returncode == 1 and "does not serve it" in result.stderr, result.stderr
    return None


@test
def wrong_rows_arms_and_options_are_status_2_with_the_right_ones():
    for options, texts in (
        (["--rows=appen"], ["appen is not one of", "grow-shrink", "large"]),
        (["--arms=stock"], ["stock is not one of", "libc, cubby"]),
        (["--rounds=3"], ["lists has no", "--rounds"]),
        (["--pairs=0"], ["from 1 to 1000"]),
    ):
        result = STAND.run(*options)
        assert result.returncode == 2, (options, result.returncode)
        for text in texts:
            assert text in result.stderr, (text, result.stderr)


@test
def a_missing_program_is_status_126():
    with tempfile.TemporaryDirectory(prefix="cubby-alone-") as alone:
        result = run([shutil.copy(CUBBY, alone), "bench", "lists"])
        assert result.returncode == 126 and alone + "/lab/native/cubby-lists" in result.stderr, result.stderr


@test
def an_interrupt_ends_the_runs_that_are_under_way():
    note = os.path.join(STAND.folder, "pid")
    STAND.tell(cubby=f"echo $$ > {note}; exec sleep 100", libc="exec sleep 100")
    process = subprocess.Popen(STAND.words("--rows=pop"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (os.path.exists(note) and os.path.getsize(note) > 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and "interrupted" in errors, (process.returncode, errors)
    with open(note, encoding="ascii") as file:
        assert not os.path.exists("/proc/" + file.read().strip()), "a child is still there"


@test
def the_real_program_does_every_row_on_both_allocators_with_every_rule():
    if not os.path.exists(REAL):
        return "this build has no cubby-lists"
    for row, loops in ROWS.items():
        items = set()
        for on in ("libc", "cubby"):
            for rule in ("cubby", "cpython", "double"):
                result = run([REAL, row, "--on=" + on, "--rule=" + rule, f"--loops={loops}"])
                assert result.returncode == 0 and result.stderr == "", (row, on, rule, result.stderr)
                report = json.loads(result.stdout)
                assert (row, on, rule, loops) == tuple(report[key] for key in ("row", "on", "rule", "loops"))
                assert report["changes"] > 0 and report["peak_kib"] > 0
                items.add(report["items"])
        assert len(items) == 1, (row, items)
    return None


@test
def a_large_list_of_cubbys_is_hardly_ever_copied():
    if not os.path.exists(REAL):
        return "this build has no cubby-lists"
    report = json.loads(run([REAL, "large", "--on=cubby"]).stdout)
    assert report["items"] == 10000000 and report["bytes_copied"] < 5 << 20, report
    return None


@test
def the_real_program_refuses_what_it_cannot_do():
    if not os.path.exists(REAL):
        return "this build has no cubby-lists"
    for words in ([], ["heap"], ["pop", "--loops=0"], ["pop", "--rule=triple"], ["pop", "--on=other"], ["pop", "x"]):
        result = run([REAL, *words])
        assert result.returncode == 2 and "usage: cubby-lists" in result.stderr, words
    return None


@test
def over_recorded_lists_cubbys_rule_copies_less_and_leaves_less_unused_than_cpythons():
    growth = os.path.join(NATIVE, "cubby-growth")
    if not os.path.exists(growth):
        return "this build has no cubby-growth"
    assert len(HISTORIES) >= 8, HISTORIES
    result = run([growth, *HISTORIES])
    assert result.returncode == 0 and result.stderr == "", result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    (first,) = [number for number, line in enumerate(lines) if line[:2] == ["all", "cubby"]]
    cubby, cpython = lines[first][2:], lines[first + 1][1:]
    assert cubby[0] == cpython[0] and int(cubby[0]) > 400000, "lists"
    assert int(cubby[1]) <= int(cpython[1]), "changes"
    assert int(cubby[3]) < 0.7 * int(cpython[3]), ("bytes copied", cubby, cpython)
    assert int(cubby[5]) < 0.8 * int(cpython[5]), ("bytes unused", cubby, cpython)
    return None


@test
def what_is_no_history_is_refused():
    growth = os.path.join(NATIVE, "cubby-growth")
    if not os.path.exists(growth):
        return "this build has no cubby-growth"
    path = os.path.join(STAND.folder, "wrong.txt")
    for text in ("", "3 r 4\n", "x r 4 = 1\n", "3 z 4 = 1\n", "3 r = 1\n"):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        result = run([growth, path])
        assert result.returncode == 2 and "not a history" in result.stderr, (text, result.stderr)
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-lists-") as FOLDER:
        STAND = StandIn(FOLDER)
        STATUS = main()
    sys.exit(STATUS)
