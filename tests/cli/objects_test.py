# SPDX-License-Identifier: MIT
"""`cubby bench objects` from outside: objects_test.py CUBBY. Prints TAP.

A copy of the command finds stand-ins for cubby-objects and cubby-objects-malloc beside itself, which take no time. What
they are to say, they read from a file. The real programs run every row at the end.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
NATIVE = os.path.join(os.path.dirname(CUBBY), "lab", "native")
PROGRAMS = {"cubby": "cubby-objects", "libc": "cubby-objects-malloc"}
PASSED_ON = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
POLICIES = ("none", "bounded", "blocks")

# An item of a round takes a microsecond on Cubby and two on any other; with blocks, half as much again.
STAND_IN = r"""#!/bin/sh
here=${0%/*} row=$1 malloc_of=$LD_PRELOAD on=cubby
case $0 in *-malloc) on=libc ;; esac
for option; do
    case $option in --*) eval "${option#--}" ;; esac
done
echo "$row $ints $floats $on $items $rounds" >> "$here/runs"
micros=$((items * rounds)) faults=$((1000 * rounds)) peak=4096 dropped=2048 compacted=1024
[ $on = libc ] && micros=$((2 * micros))
[ $row$ints = intsblocks ] && micros=$((micros * 3 / 2))
[ -f "$here/$on" ] && . "$here/$on"
seconds=$((micros / 1000000)).$(printf %06d $((micros % 1000000)))
echo "{\"row\": \"$row\", \"on\": \"$on\", \"malloc_of\": \"$malloc_of\", \"ints\": \"$ints\"," \
    "\"floats\": \"$floats\", \"items\": $items, \"rounds\": $rounds, \"wall_seconds\": $seconds," \
    "\"minor_faults\": $faults, \"peak_kib\": $peak, \"start_kib\": 512, \"dropped_kib\": $dropped," \
    "\"compacted_kib\": $compacted}"
"""

# What stands in for valgrind runs the program and adds its figures, for 20,000 items and 2 rounds.
VALGRIND = r"""#!/bin/sh
while case $1 in --*) true ;; *) false ;; esac; do shift; done
"$@"
echo "==1== D1  misses:        80,000  ( 1 rd + 2 wr)"
echo "==1== LLd misses:        20,000  ( 1 rd + 2 wr)"
"""


class StandIn:
    """A copy of the command in a folder of its own, and what the stand-ins beside it are told."""

    def __init__(self, folder):
        self.folder = folder
        self.command = shutil.copy(CUBBY, folder)
        self.native = os.path.join(folder, "lab", "native")
        self.tools = os.path.join(folder, "tools")
        os.makedirs(self.native)
        os.makedirs(self.tools)
        for name in PROGRAMS.values():
            self.write(os.path.join(self.native, name), STAND_IN)

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def tell(self, libc="", cubby="", valgrind=None):
        """Lines of shell for the runs on each; without any they behave."""
        for name, lines in (("libc", libc), ("cubby", cubby)):
            self.write(os.path.join(self.native, name), lines + "\n")
        self.write(os.path.join(self.native, "runs"), "")
        path = os.path.join(self.tools, "valgrind")
        if valgrind is not None:
            self.write(path, valgrind)
        elif os.path.exists(path):
            os.remove(path)

    def runs(self):
        with open(os.path.join(self.native, "runs"), encoding="ascii") as file:
            return [tuple(line.split()) for line in file]

    def run(self, *options):
        arms = () if any(option.startswith("--arms") for option in options) else ("--arms=libc",)
        return run([self.command, "bench", "objects", "--quick", *arms, *options], self.tools)

    def json(self, *options):
        result = self.run("--json", *options)
        assert result.returncode == 0, (result.returncode, result.stderr)
        return json.loads(result.stdout)


def run(words, path):
    # Only what the stand-ins need, so that a valgrind of the machine's is not found.
    for name in ("sh", "printf", "grep"):
        if not os.path.exists(os.path.join(path, name)):
            os.symlink(shutil.which(name), os.path.join(path, name))
    environment = {"PATH": path, "HOME": "/", **PASSED_ON}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=200)


def named(entries, name, key="name"):
    (entry,) = [entry for entry in entries if entry[key] == name]
    return entry


@test
def all_policies_are_crossed_on_all_arms():
    STAND.tell()
    result = STAND.run()
    assert result.returncode == 0 and result.stderr == "", result.stderr
    expected = {("ints", ints, "none", on) for ints in POLICIES for on in PROGRAMS}
    expected |= {("floats", ints, floats, on) for ints in POLICIES for floats in POLICIES for on in PROGRAMS}
    runs = [run[:4] for run in STAND.runs()]
    assert set(runs) == expected and len(runs) == len(expected), runs
    for text in ("ints-blocks", "floats-bounded-blocks", "1.50x", "2.00x", "3.00x", "4.0", "2.0", "1.0", "1,000"):
        assert text in result.stdout, (text, result.stdout)
    assert "valgrind is not installed" in result.stdout


@test
def times_are_over_the_row_without_freelists_on_cubby_in_the_same_round():
    # Each run of a row takes twice as long as the one before it, so only figures of one round compare.
    slower = "micros=$((micros << $(($(grep -c \"^$row $ints $floats $on \" $here/runs) - 1))))"
    STAND.tell(libc=slower, cubby=slower)
    result = STAND.json("--rows=ints", "--pairs=4", "--seed=3")
    assert [row["name"] for row in result["rows"]] == ["ints-none", "ints-bounded", "ints-blocks"]
    for row, arm, ratio in (("ints-none", "libc", 2), ("ints-blocks", "cubby", 1.5), ("ints-blocks", "libc", 3)):
        time = named(named(result["rows"], row)["arms"], arm, "arm")["time_over_none_on_cubby"]
        assert all(math.isclose(time[key], ratio) for key in ("value", "low", "high")), (row, arm, time)
    assert named(named(result["rows"], "ints-none")["arms"], "cubby", "arm")["time_over_none_on_cubby"]["value"] == 1


@test
def the_row_that_others_are_compared_with_is_run_in_any_case():
    STAND.tell()
    names = [row["name"] for row in STAND.json("--rows=floats-blocks-none")["rows"]]
    assert names == ["floats-none-none", "floats-blocks-none"], names


@test
def the_order_changes_and_a_seed_repeats_it():
    STAND.tell()
    orders = []
    for seed in (1, 1, 2):
        row = named(STAND.json("--rows=ints", "--pairs=5", f"--seed={seed}")["rows"], "ints-blocks")
        orders.append([(run["round"], run["place"], run["arm"]) for run in row["runs"]])
    assert orders[0] == orders[1] and orders[0] != orders[2] and len(orders[0]) == 10


@test
def the_misses_of_caches_are_those_of_an_item():
    STAND.tell(valgrind=VALGRIND)
    result = STAND.json("--rows=ints-none")
    for arm in result["rows"][0]["arms"]:
        assert (arm["simulated_d1_misses_an_item"], arm["simulated_ll_misses_an_item"]) == (2, 0.5), arm
    assert ("ints", "none", "none", "cubby", "20000", "2") in STAND.runs()
    assert "2.00, 0.50" in STAND.run("--rows=ints-none").stdout
    STAND.tell(valgrind="#!/bin/sh\nexit 1\n")
    arm = STAND.json("--rows=ints-none")["rows"][0]["arms"][0]
    assert arm["simulated_d1_misses_an_item"] is None and arm["runs"] == 1, arm


@test
def an_arm_that_fails_is_dropped_with_its_reason():
    for lines, complaint in (
        ("echo 'no memory' >&2; exit 1", "ended with status 1: no memory"),
        ("echo '{'; exit 0", "it is not JSON"),
        ("items=7", "it did something else"),
        ("floats=other", "it did something else"),
        ("row=other", "it is another row"),
        ("peak=0", "a figure is missing"),
    ):
        STAND.tell(libc=lines)
        result = STAND.run("--rows=ints-none")
        assert result.returncode == 1 and "libc is dropped" in result.stderr, result.stderr
        assert complaint in result.stderr and complaint in result.stdout, (complaint, result.stdout)


@test
def without_cubby_nothing_more_is_measured():
    STAND.tell(cubby="exit 9")
    result = STAND.run("--arms=cubby")
    assert result.returncode == 1 and "cubby is dropped" in result.stderr and len(STAND.runs()) == 1


@test
def wrong_rows_and_options_are_status_2_with_the_right_ones():
    for options, texts in (
        (["--rows=int"], ["int is not one of", "ints-none", "floats-blocks-blocks"]),
        (["--arms=stock"], ["stock is not one of", "libc, cubby"]),
        (["--rounds=3"], ["objects has no", "--rounds"]),
    ):
        result = STAND.run(*options)
        assert result.returncode == 2, (options, result.returncode)
        for text in texts:
            assert text in result.stderr, (text, result.stderr)


@test
def a_missing_program_is_status_126():
    for name in PROGRAMS.values():
        path = os.path.join(STAND.native, name)
        os.rename(path, path + ".away")
        result = STAND.run()
        os.rename(path + ".away", path)
        assert result.returncode == 126 and name + " is not there" in result.stderr, result.stderr


def real(on, *words):
    return subprocess.run([os.path.join(NATIVE, PROGRAMS[on]), *words], capture_output=True, text=True, timeout=200)


@test
def the_real_programs_do_every_row_on_cubby_and_on_malloc():
    if not os.path.exists(os.path.join(NATIVE, "cubby-objects")):
        return "this build has no cubby-objects"
    for on in PROGRAMS:
        for row in ("ints", "floats"):
            for ints in POLICIES:
                for floats in POLICIES:
                    result = real(on, row, "--ints=" + ints, "--floats=" + floats, "--items=20000", "--rounds=3")
                    assert result.returncode == 0 and result.stderr == "", (on, row, ints, floats, result.stderr)
                    report = json.loads(result.stdout)
                    assert (report["on"], report["row"], report["ints"], report["floats"]) == (on, row, ints, floats)
                    used = report["int_hits"] if row == "ints" else report["float_hits"]
                    assert (used > 0) == ((ints if row == "ints" else floats) != "none"), report
                    kept = report["compacted_bytes"]
                    held = {"none": 0, "bounded": 100 * 24, "blocks": 20000 * 24}[ints if row == "ints" else floats]
                    assert kept >= held, report
    return None


@test
def the_real_programs_refuse_what_they_cannot_do():
    if not os.path.exists(os.path.join(NATIVE, "cubby-objects")):
        return "this build has no cubby-objects"
    for words, text in (([], "usage:"), (["strs"], "usage:"), (["ints", "--ints=all"], "--ints=all"),
                        (["ints", "--items=0"], "--items=0"), (["ints", "--rounds=x"], "--rounds=x")):
        for on in PROGRAMS:
            result = real(on, *words)
            assert result.returncode == 2 and text in result.stderr and "usage: cubby-objects" in result.stderr, words
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-objects-") as FOLDER:
        STAND = StandIn(FOLDER)
        STATUS = main()
    sys.exit(STATUS)
