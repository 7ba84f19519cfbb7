# SPDX-License-Identifier: MIT
"""`cubby bench threads` from outside: threads_test.py CUBBY. Prints TAP.

A copy of the command finds a stand-in for cubby-threads beside itself, which takes no time. What it is to say on which
allocator, it reads from a file. The real program runs every row at the end.
"""

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
REAL = os.path.join(os.path.dirname(CUBBY), "lab", "native", "cubby-threads")
PASSED_ON = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}
ROWS = {"private": 2, "private-large": 2, "single": 1, "handed": 2, "consumer": 2, "born": 2, "sharing": 2}

# An operation takes a microsecond on Cubby and two on any other. Every run is noted in a file.
STAND_IN = r"""#!/bin/sh
here=${0%/*} row=$1 malloc_of=$LD_PRELOAD
for option; do
    case $option in --*) eval "${option#--}" ;; esac
done
echo "$row $threads $on" >> "$here/runs"
takes=$((operations / 100)) waits=$((operations / 1000)) parcels=$((operations / 500)) peak=2048
micros=$operations
[ $on = libc ] && micros=$((2 * operations))
[ -f "$here/$on" ] && . "$here/$on"
seconds=$((micros / 1000000)).$(printf %06d $((micros % 1000000)))
counters=", \"lock_takes\": $takes, \"lock_waits\": $waits, \"parcels\": $parcels"
[ $on = libc ] && counters=
echo "{\"row\": \"$row\", \"on\": \"$on\", \"malloc_of\": \"$malloc_of\", \"threads\": $threads," \
    "\"operations\": $operations, \"wall_seconds\": $seconds, \"cpu_seconds\": $seconds," \
    "\"minor_faults\": $operations, \"peak_kib\": $peak$counters}"
"""


class StandIn:
    """A copy of the command in a folder of its own, and what the stand-in beside it is told."""

    def __init__(self, folder):
        self.folder = folder
        self.command = shutil.copy(CUBBY, folder)
        self.native = os.path.join(folder, "lab", "native")
        os.makedirs(self.native)
        self.runs_file = os.path.join(self.native, "runs")
        program = os.path.join(self.native, "cubby-threads")
        with open(program, "w", encoding="ascii") as file:
            file.write(STAND_IN)
        os.chmod(program, 0o755)

    def tell(self, libc="", cubby=""):
        """Lines of shell for the runs on each; without any they behave."""
        for name, lines in (("libc", libc), ("cubby", cubby)):
            with open(os.path.join(self.native, name), "w", encoding="ascii") as file:
                file.write(lines + "\n")
        with open(self.runs_file, "w", encoding="ascii"):
            pass

    def runs(self):
        with open(self.runs_file, encoding="ascii") as file:
            return [tuple(line.split()) for line in file]

    def words(self, *options):
        arms = () if any(option.startswith("--arms") for option in options) else ("--arms=libc",)
        return [self.command, "bench", "threads", "--quick", *arms, *options]

    def run(self, *options):
        return run(self.words(*options))

    def json(self, *options):
        result = self.run("--json", *options)
        assert result.returncode == 0, (result.returncode, result.stderr)
        return json.loads(result.stdout)


def run(words):
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/", **PASSED_ON}
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=200)


def named(entries, name, key="name"):
    (entry,) = [entry for entry in entries if entry[key] == name]
    return entry


@test
def the_tables_show_each_rows_figures_and_cubbys_counters():
    STAND.tell()
    result = STAND.run()
    assert result.returncode == 0 and result.stderr == "", result.stderr
    few, many = result.stdout.split("64 threads, by counters")
    for name in ROWS:
        assert f"  {name} " in few and (f"  {name} " in many) == (name != "single"), name
    for text in ("1000.0", "2000.0", "2.00x", "2.00-2.00"):
        assert text in few, (text, few)
    assert "10.000       1.000    2.000" in many, many
    assert "in 7 of 7 rows" in many and "It is behind" not in many


@test
def rows_in_which_cubby_is_behind_are_marked_and_listed():
    STAND.tell(cubby="micros=$((3 * operations)) peak=2300")
    result = STAND.run("--rows=born")
    assert "in 0 of 1 rows" in result.stdout and "time, peak" in result.stdout
    assert "1.50 times the time of libc; 2.2 MiB peak, libc 2.0" in result.stdout, result.stdout
    STAND.tell(cubby="micros=$((2 * operations * 104 / 100)) peak=2250")
    assert "in 1 of 1 rows" in STAND.run("--rows=born").stdout, "within the margins"


@test
def every_round_has_all_arms_and_their_order_changes():
    STAND.tell()
    result = STAND.json("--rows=handed", "--pairs=12", "--seed=3")
    row = named(result["rows"], "handed")
    rounds = [sorted((run["round"], run["place"]) for run in row["runs"] if run["arm"] == arm)
              for arm in ("cubby", "libc")]
    assert [place for _, place in rounds[0]] == [1 - place for _, place in rounds[1]]
    assert {place for _, place in rounds[0]} == {0, 1} and [number for number, _ in rounds[0]] == list(range(12))
    runs = [on for _, threads, on in STAND.runs() if threads == "2"]
    assert all(set(runs[i : i + 2]) == {"cubby", "libc"} for i in range(0, 24, 2)) and len(runs) == 24
    again = STAND.json("--rows=handed", "--pairs=12", "--seed=3")
    assert [run["place"] for run in again["rows"][0]["runs"]] == [run["place"] for run in row["runs"]], "same seed"


@test
def the_ratio_is_taken_within_each_round():
    # The machine becomes four times as slow from round to round; the arm always takes twice Cubby's time.
    slower = "micros=$((micros * (1 << (2 * (($(grep -c \"$row $threads $on\" $here/runs) - 1) % 3)))))"
    STAND.tell(libc=slower, cubby=slower)
    row = named(STAND.json("--rows=private", "--pairs=3")["rows"], "private")
    time_over = named(row["arms"], "libc", "arm")["time_over_cubby"]
    assert all(math.isclose(time_over[key], 2) for key in ("value", "low", "high")), time_over


@test
def the_json_holds_every_run_and_figures_by_operation():
    STAND.tell()
    result = STAND.json("--rows=consumer,single", "--pairs=4", "--seed=7")
    assert (result["suite"], result["seed"], len(result["rows"])) == ("threads", 7, 2)
    row = named(result["rows"], "consumer")
    assert len(row["runs"]) == 8 and row["threads"] == 2 and named(result["rows"], "single")["threads"] == 1
    libc, cubby = named(row["arms"], "libc", "arm"), named(row["arms"], "cubby", "arm")
    assert math.isclose(libc["median_wall_seconds_an_operation"], 2e-6) and libc["lock_takes_an_operation"] is None
    assert math.isclose(cubby["lock_takes_an_operation"], 0.01) and math.isclose(cubby["parcels_an_operation"], 0.002)
    assert cubby["minor_faults_an_operation"] == 1 and cubby["peak_kib"] == 2048
    assert row["verdict"]["slower"] is False and row["verdict"]["smallest_other_peak_kib"] == 2048
    (many,) = result["rows_of_64_threads"]
    assert many["name"] == "consumer" and many["threads"] == 64 and len(many["runs"]) == 8


@test
def an_arm_that_fails_is_dropped_with_its_reason():
    for lines, complaint in (
        ("echo 'a block is wrong' >&2; exit 1", "ended with status 1: a block is wrong"),
        ("echo '{'; exit 0", "it is not JSON"),
        ("threads=3", "it did something else"),
        ("operations=7", "it did something else"),
        ("row=born", "it is another row"),
        ("peak=0", "a figure is missing"),
    ):
        STAND.tell(libc=lines)
        result = STAND.run("--rows=private")
        assert result.returncode == 1 and "libc is dropped" in result.stderr, result.stderr
        assert complaint in result.stderr and complaint in result.stdout, (complaint, result.stdout)


@test
def without_cubby_or_its_counters_nothing_more_is_measured():
    for lines, complaint in (("exit 9", "private ended with status 9"), ("takes=null", "a figure is missing")):
        STAND.tell(cubby=lines)
        result = STAND.run()
        assert result.returncode == 1 and "cubby is dropped" in result.stderr and complaint in result.stderr
        assert len(STAND.runs()) <= 2, STAND.runs()


@test
def a_peer_that_does_not_serve_malloc_is_dropped():
    STAND.tell()
    found = [arm["name"] for arm in STAND.json("--arms=mimalloc,jemalloc,tcmalloc", "--rows=born")["arms"]
             if arm["state"] == "measured" and arm["name"] != "cubby"]
    if not found:
        return "no peer is installed"
    STAND.tell(libc="malloc_of=/lib/libc.so.6")
    result = STAND.run("--arms=" + found[0], "--rows=born")
    assert result.returncode == 1 and "does not serve it" in result.stderr, result.stderr
    return None


@test
def wrong_rows_arms_and_options_are_status_2_with_the_right_ones():
    for options, texts in (
        (["--rows=privat"], ["privat is not one of", "private-large", "sharing"]),
        (["--arms=stock"], ["stock is not one of", "libc, cubby"]),
        (["--rounds=3"], ["threads has no", "--rounds"]),
        (["--pairs=0"], ["from 1 to 1000"]),
        (["spans"], ["one suite at a time"]),
    ):
        result = STAND.run(*options)
        assert result.returncode == 2, (options, result.returncode)
        for text in texts:
            assert text in result.stderr, (text, result.stderr)
    result = run([CUBBY, "bench", "thread"])
    assert result.returncode == 2 and "seeds, spans, threads, lists, objects, gupb and pybench" in result.stderr


@test
def a_missing_program_is_status_126():
    with tempfile.TemporaryDirectory(prefix="cubby-alone-") as alone:
        result = run([shutil.copy(CUBBY, alone), "bench", "threads"])
        assert result.returncode == 126 and alone + "/lab/native/cubby-threads" in result.stderr, result.stderr


@test
def an_interrupt_ends_the_run_that_is_under_way():
    note = os.path.join(STAND.folder, "pid")
    STAND.tell(cubby=f"echo $$ > {note}; exec sleep 100")
    process = subprocess.Popen(STAND.words("--rows=single"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while not (os.path.exists(note) and os.path.getsize(note) > 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and "interrupted" in errors, (process.returncode, errors)
    with open(note, encoding="ascii") as file:
        assert not os.path.exists("/proc/" + file.read().strip()), "a child is still there"


@test
def the_real_program_does_every_row_on_both_allocators():
    if not os.path.exists(REAL):
        return "this build has no cubby-threads"
    for on in ("libc", "cubby"):
        for row, most in ROWS.items():
            for threads in {most, 1 if most == 1 else 5}:
                result = run([REAL, row, "--on=" + on, f"--threads={threads}", "--operations=20011"])
                assert result.returncode == 0 and result.stderr == "", (row, on, threads, result.stderr)
                report = json.loads(result.stdout)
                told = (row, on, threads, 20011)
                assert told == tuple(report[key] for key in ("row", "on", "threads", "operations"))
                assert report["wall_seconds"] > 0 and report["peak_kib"] > 0
                assert (on == "cubby") == ("lock_takes" in report)
    return None


@test
def blocks_that_go_to_another_thread_are_parcels_and_private_ones_are_not():
    if not os.path.exists(REAL):
        return "this build has no cubby-threads"
    parcels = {row: json.loads(run([REAL, row, "--on=cubby", "--operations=50000"]).stdout)["parcels"] for row in ROWS}
    assert parcels["private"] == parcels["private-large"] == parcels["single"] == 0, parcels
    # Not born: what an ended thread left, the main thread may free without a parcel.
    assert all(parcels[row] > 0 for row in ("handed", "consumer", "sharing")), parcels
    assert parcels["handed"] < 5000, "a parcel holds more than ten blocks"
    return None


@test
def the_real_program_refuses_what_it_cannot_do():
    if not os.path.exists(REAL):
        return "this build has no cubby-threads"
    for words, text in (([], "usage:"), (["heap"], "usage:"), (["private", "--threads=0"], "--threads=0"),
                        (["handed", "--threads=1"], "in 1 threads"), (["single", "--threads=2"], "in 2 threads"),
                        (["born", "--operations=x"], "--operations=x"), (["born", "--on=other"], "--on=other"),
                        (["private", "--operations=1"], "cannot do 1 operations")):
        result = run([REAL, *words])
        assert result.returncode == 2 and text in result.stderr and "usage: cubby-threads" in result.stderr, words
    return None


@test
def a_block_that_two_threads_were_given_ends_the_real_program():
    if not os.path.exists(REAL):
        return "this build has no cubby-threads"
    with open(REAL, "rb") as file:
        program = file.read()
    if b"__asan_init" in program or b"__tsan_init" in program:
        return "the sanitizers have a malloc of their own"
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        return "there is no compiler"
    library = os.path.join(STAND.folder, "twice.so")
    source = "#include <stddef.h>\nstatic char once[1 << 17];\n" \
        "void *malloc(size_t n) { (void)n; return once; }\nvoid free(void *p) { (void)p; }\n"
    subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-fno-builtin", "-o", library, "-"], input=source,
                   text=True, check=True)
    result = subprocess.run([REAL, "single", "--operations=100"], env={"LD_PRELOAD": library}, capture_output=True,
                            text=True, timeout=60)
    assert result.returncode == 1 and "given it out twice" in result.stderr, (result.returncode, result.stderr)
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-threads-") as FOLDER:
        STAND = StandIn(FOLDER)
        STATUS = main()
    sys.exit(STATUS)
