# SPDX-License-Identifier: MIT
"""`cubby bench spans` from outside: spans_test.py CUBBY. Prints TAP.

A copy of the command finds a stand-in for cubby-spans beside itself, and one for strace in PATH; both take no time.
What the first is told to do wrong, and on which allocator, it reads from a file. The real program runs a few rows at
the end.
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
REAL = os.path.join(os.path.dirname(CUBBY), "lab", "native", "cubby-spans")
SANITIZER = ("ASAN_OPTIONS", "UBSAN_OPTIONS")

STAND_IN = r"""#!/bin/sh
here=${0%/*}
row=$1 on=libc touch=all mib=1 loops=1 settle=0 finished=true
for option; do
    case $option in --*) eval "${option#--}" ;; esac
done
seconds=2 settled=2000 done=$loops malloc_of=$LD_PRELOAD
[ $on = cubby ] && seconds=1
[ -f "$here/$on" ] && . "$here/$on"
[ "$settle" = 0 ] && settled=0
echo "{\"row\": \"$row\", \"on\": \"$on\", \"malloc_of\": \"$malloc_of\", \"mib\": $mib, \"touch\": \"$touch\"," \
    "\"loops\": $loops, \"loops_done\": $done, \"finished\": $finished, \"cpu_seconds\": $seconds," \
    "\"wall_seconds\": $seconds, \"minor_faults\": $((100 * done)), \"peak_kib\": 5120, \"dropped_kib\": 4096," \
    "\"settled_kib\": $settled}"
"""

# A process that does nothing makes 30 calls; any other 1,000 more.
STRACE = r"""#!/bin/sh
while [ "${1#-}" != "$1" ]; do
    case $1 in -U | -o) shift ;; -E) export "$2"; shift ;; esac
    shift
done
[ -f "${0%/*}/not-permitted" ] && { echo 'strace: PTRACE_TRACEME: Operation not permitted' >&2; exit 1; }
"$@"
unset LD_PRELOAD
[ "$2" = nothing ] && calls=30 || calls=1030
printf '    calls syscall\n--------- -------\n%9d read\n--------- -------\n%9d total\n' $calls $calls
"""


def script_write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o755)


def misbehave(**arms):
    """Lines of shell for the allocators that are to go wrong; the others behave."""
    for name in ("libc", "cubby"):
        path = os.path.join(FOLDER, "lab", "native", name)
        if name in arms:
            with open(path, "w", encoding="ascii") as file:
                file.write(arms[name] + "\n")
        elif os.path.exists(path):
            os.remove(path)


def arguments_of(*more):
    arms = [] if any(option.startswith("--arms") for option in more) else ["--arms=libc"]
    return [COMMAND, "bench", "spans", "--quick", *arms, *more]


def environment_of(**more):
    whole = {"PATH": os.path.join(FOLDER, "bin") + ":/usr/bin:/bin", "HOME": FOLDER}
    whole.update({name: os.environ[name] for name in SANITIZER if name in os.environ})
    whole.update(more)
    return whole


def bench(*more, **settings):
    return subprocess.run(arguments_of(*more), env=environment_of(**settings), capture_output=True, text=True,
                          timeout=120)


def bench_json(*more, status=0):
    result = bench("--json", *more)
    assert result.returncode == status, (result.returncode, result.stderr)
    return json.loads(result.stdout)


def row_of(result, name):
    return [row for row in result["rows"] if row["name"] == name][0]


def arm_of(row, name):
    return [arm for arm in row["arms"] if arm["arm"] == name][0]


@test
def the_tables_show_each_rows_figures():
    misbehave()
    result = bench("--rows=cycle-8,calloc")
    assert result.returncode == 0, result.stderr
    for text in ("2.00x", "100", "7.81", "5.0", "2.0", "in 4 of 4 rows", "cycle-8", "calloc-page"):
        assert text in result.stdout, (text, result.stdout)
    assert "It is behind" not in result.stdout and result.stderr == "", result.stderr


@test
def rows_in_which_cubby_is_behind_are_marked_and_listed():
    misbehave(cubby="seconds=3 settled=2300")
    result = bench("--rows=slots")
    assert "in 0 of 2 rows" in result.stdout and "time, settled" in result.stdout
    assert "1.50 times the time of libc; 2.2 MiB settled, libc 2.0" in result.stdout, result.stdout
    misbehave(cubby="seconds=2.08 settled=2190")
    assert "in 2 of 2 rows" in bench("--rows=slots").stdout, "within the margins"


@test
def the_json_holds_every_pair_and_figures_by_loop():
    misbehave(libc="done=10 loops=$loops")
    result = bench_json("--rows=cycle-100", "--pairs=3", "--seed=5")
    assert result["suite"] == "spans" and result["seed"] == 5
    row = row_of(result, "cycle-100")
    assert len(row["pairs"]) == 6 and row["loops"] == 11
    if len(result["machine"]["cores_allowed"]) > 1:
        assert sum(pair["cubby_core"] < pair["arm_core"] for pair in row["pairs"]) == 3
    libc, cubby = arm_of(row, "libc"), arm_of(row, "cubby")
    assert math.isclose(libc["time_over_cubby"]["value"], 2 * 11 / 10)
    assert math.isclose(libc["median_cpu_seconds_a_loop"], 0.2)
    assert libc["minor_faults_a_loop"] == cubby["minor_faults_a_loop"] == 100
    assert math.isclose(libc["system_calls_a_loop"], 100) and math.isclose(cubby["system_calls_a_loop"], 1000 / 11)
    assert (cubby["peak_kib"], cubby["settled_kib"]) == (5120, 2000)
    assert row["verdict"]["slower"] is False and row["verdict"]["larger"] is False


@test
def a_growth_that_was_cut_short_is_a_lower_bound():
    misbehave(libc="finished=false")
    assert ">2.00x" in bench("--rows=grow-page").stdout
    misbehave(cubby="finished=false")
    result = bench("--rows=grow-page")
    assert " ?" in result.stdout and "2.00x" not in result.stdout
    assert arm_of(row_of(bench_json("--rows=grow-page"), "grow-page"), "libc")["unknown"] is True


@test
def an_arm_that_fails_is_dropped_with_its_reason():
    for lines, complaint in (("echo 'no more memory' >&2; exit 1", "ended with status 1: no more memory"),
                             ("echo '{'; exit 0", "it is not JSON"),
                             ("mib=7", "it did something else"),
                             ("row=slots", "it is another row"),
                             ("settled=0", "a figure is missing")):
        misbehave(libc=lines)
        result = bench("--rows=cycle-1")
        assert result.returncode == 1 and "libc is dropped" in result.stderr, result.stderr
        assert complaint in result.stderr and complaint in result.stdout, (complaint, result.stdout)


@test
def without_cubby_nothing_more_is_measured():
    misbehave(cubby="exit 9")
    result = bench("--rows=cycle")
    assert result.returncode == 1 and "cubby is dropped: cycle-1 ended with status 9" in result.stderr


@test
def a_peer_that_does_not_serve_malloc_is_dropped():
    misbehave()
    found = [arm["name"] for arm in bench_json("--arms=mimalloc,jemalloc,tcmalloc", "--rows=cycle-1")["arms"]
             if arm["state"] == "measured" and arm["name"] != "cubby"]
    if not found:
        return "no peer is installed"
    misbehave(libc="malloc_of=/lib/libc.so.6")
    result = bench("--arms=" + found[0], "--rows=cycle-1")
    assert result.returncode == 1 and "does not serve it" in result.stderr, result.stderr
    return None


@test
def where_strace_cannot_count_the_column_is_empty_with_a_note():
    misbehave()
    flag = os.path.join(FOLDER, "bin", "not-permitted")
    with open(flag, "w", encoding="ascii"):
        pass
    result = bench("--rows=cycle-1")
    os.remove(flag)
    assert result.returncode == 0 and "Operation not permitted" in result.stdout and "2.00x" in result.stdout
    result = bench_json_without_strace()
    assert result["strace_reason"] == "strace is not installed"
    assert arm_of(result["rows"][0], "cubby")["system_calls_a_loop"] is None


def bench_json_without_strace():
    """The stand-in needs no program but the shell, which is not looked for in PATH."""
    result = subprocess.run(arguments_of("--rows=cycle-1", "--json"), env=environment_of(PATH="/no/folder"),
                            capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@test
def wrong_rows_arms_and_options_are_status_2_with_the_right_ones():
    for options, texts in ((["--rows=cycles"], ["cycles", "cycle-256-page"]),
                           (["--arms=stock"], ["stock", "libc, cubby"]),
                           (["--rounds=3"], ["spans has no", "--rounds"]),
                           (["seeds"], ["one suite at a time"])):
        result = bench(*options)
        assert result.returncode == 2, (options, result.returncode)
        for text in texts:
            assert text in result.stderr, (text, result.stderr)
    result = subprocess.run([COMMAND, "bench", "--rows=slots"], env=environment_of(), capture_output=True, text=True,
                            timeout=60)
    assert result.returncode == 2 and "seeds has no --rows" in result.stderr


@test
def a_missing_program_is_status_126():
    alone = os.path.join(FOLDER, "alone")
    os.makedirs(alone)
    command = shutil.copy(CUBBY, alone)
    result = subprocess.run([command, "bench", "spans"], env=environment_of(), capture_output=True, text=True,
                            timeout=60)
    assert result.returncode == 126 and alone + "/lab/native/cubby-spans" in result.stderr


@test
def an_interrupt_ends_the_children():
    misbehave(cubby=f"echo $$ >> {FOLDER}/pids; exec sleep 100")
    process = subprocess.Popen(arguments_of("--rows=cycle-1"), env=environment_of(), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    path = os.path.join(FOLDER, "pids")
    deadline = time.monotonic() + 30
    while not (os.path.exists(path) and os.path.getsize(path) > 0) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130 and "interrupted" in errors
    with open(path, encoding="ascii") as file:
        for pid in file.read().split():
            assert not os.path.exists(f"/proc/{pid}"), "a child is still there"


def spans(*options):
    environment = {name: os.environ[name] for name in SANITIZER if name in os.environ}
    return subprocess.run([REAL, *options], env=environment, capture_output=True, text=True, timeout=120)


@test
def the_real_program_does_what_it_says_on_both_allocators():
    if not os.path.exists(REAL):
        return "this build has no cubby-spans"
    for on in ("libc", "cubby"):
        for options in (["cycle", "--mib=3", "--loops=5"], ["cycle", "--mib=33", "--touch=page", "--loops=2"],
                        ["slots", "--loops=40", "--touch=page"], ["calloc", "--touch=once", "--loops=1"]):
            result = spans(*options, "--on=" + on, "--settle=0.05")
            assert result.returncode == 0 and result.stderr == "", result.stderr
            report = json.loads(result.stdout)
            assert report["row"] == options[0] and report["on"] == on and report["finished"] is True
            assert f"--loops={report['loops_done']}" in options
            assert 0 < report["settled_kib"] and 0 < report["minor_faults"]
            assert report["dropped_kib"] <= report["peak_kib"] + 64
    return None


@test
def the_real_program_stops_a_growth_at_its_limit():
    if not os.path.exists(REAL):
        return "this build has no cubby-spans"
    report = json.loads(spans("grow", "--limit=0.02").stdout)
    assert report["finished"] is False and report["loops_done"] == 1
    for wrong in ([], ["heap"], ["cycle", "--mib=0"], ["cycle", "--on=other"], ["cycle", "--touch"]):
        result = spans(*wrong)
        assert result.returncode == 2 and "usage: cubby-spans" in result.stderr
    return None


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-spans-") as FOLDER:
        COMMAND = shutil.copy(CUBBY, FOLDER)
        script_write(os.path.join(FOLDER, "lab", "native", "cubby-spans"), STAND_IN)
        script_write(os.path.join(FOLDER, "bin", "strace"), STRACE)
        STATUS = main()
    sys.exit(STATUS)
