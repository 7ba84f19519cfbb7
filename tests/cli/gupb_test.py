# SPDX-License-Identifier: MIT
"""`cubby bench gupb` and `pybench` from outside: gupb_test.py CUBBY. Prints TAP.

A stand-in for python3 takes no time; it prints what a program would print, with seconds of a known ratio. What it is
told to do wrong, and in which arm and row, it reads from a file. The real programs have tests of their own.
"""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER_OF_ROWS = os.path.join(SOURCES, "lab", "gupb")
SANITIZER = ("ASAN_OPTIONS", "UBSAN_OPTIONS")

STAND_IN = r"""#!/bin/sh
here=${0%/*}
arm=stock
[ -n "$PYTHONMALLOC" ] && arm=libc
[ "$CUBBY_OBJ" = cubby ] && arm=cubby
[ "$CUBBY_OBJ" = stock ] && arm=list-libc
row=$2 loops=${3#--loops=}
echo "$arm $row $loops $4 $PYTHONHASHSEED" >> "$here/runs"
seconds=2
[ $arm = cubby ] && seconds=1.6
[ $arm = list-libc ] && seconds=3
wall= major=0 after=null
[ -f "$here/wrong" ] && . "$here/wrong"
preloaded='[]'
[ -n "$LD_PRELOAD" ] && preloaded='["x.so"]'
echo "{\"name\": \"$row\", \"size\": \"2016\", \"loops\": $loops, \"seconds\": ${wall:-$seconds}," \
    "\"cpu_seconds\": $seconds, \"major_faults\": $major," \
    "\"check\": 1, \"peak_kib\": 5000, \"minor_faults\": 12345, \"after_kib\": $after, \"python\": \"3.11.2\", \"preloaded\": $preloaded}"
"""


def misbehave(lines=""):
    """Lines of shell, which may look at $arm and $row; and no runs are noted any more."""
    with open(os.path.join(FOLDER, "wrong"), "w", encoding="ascii") as file:
        file.write(lines + "\n")
    with open(os.path.join(FOLDER, "runs"), "w", encoding="ascii"):
        pass


def runs():
    with open(os.path.join(FOLDER, "runs"), encoding="ascii") as file:
        return [line.split() for line in file]


def arguments_of(*more):
    return [CUBBY, "bench", "gupb", "--python=" + PYTHON, "--arms=list-libc,libc,cubby", *more]


def environment_of(**more):
    whole = {"PATH": os.environ["PATH"], "HOME": FOLDER, "CUBBY_ADAPTER": ADAPTER, "CUBBY_GUPB": FOLDER_OF_ROWS}
    whole.update({name: os.environ[name] for name in SANITIZER if name in os.environ})
    whole.update(more)
    return whole


def bench(*more, **settings):
    return subprocess.run(arguments_of(*more), env=environment_of(**settings), capture_output=True, text=True,
                          timeout=120)


def bench_json(*more, status=0, **settings):
    result = bench("--json", *more, **settings)
    assert result.returncode == status, (result.returncode, result.stderr)
    return json.loads(result.stdout)


def published(name):
    with open(os.path.join(FOLDER_OF_ROWS, "figures.csv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["benchmark"] == name]
    found = {row["table"]: float(row["speedup_percent"]) for row in rows}
    return [found.get(table) for table in "1234"]


def table_of(text, title):
    """The lines of one table, in cells, from a heading that begins with the title."""
    lines = text.split("\n" + title, 1)[1].splitlines()[2:]
    return [line.split() for line in lines[: next(i for i, line in enumerate(lines) if "geometric mean" in line)]]


@test
def each_arm_has_a_table_in_the_form_of_2016_with_the_published_columns():
    misbehave()
    result = bench("--quick", "--rows=fannkuch,slowpickle,2to3")
    assert result.returncode == 0 and result.stderr == "", result.stderr
    rows = {row[0]: row[1:] for row in table_of(result.stdout, "cubby over stock")}
    assert rows["fannkuch"] == ["+25.00", "+25.00", "to", "+25.00", "0.500", "+5.87", "+4.42", "+7.90", "+7.55"], rows
    assert rows["slowpickle"] == ["+25.00", "+25.00", "to", "+25.00", "0.500", "+2.23", "+0.44"], rows
    assert {row[1] for row in table_of(result.stdout, "stock over list-libc: the change of 2016")} == {"+50.00"}
    assert {row[1] for row in table_of(result.stdout, "stock beside itself")} == {"+0.00"}
    assert "%D: how many percent more processor time the second takes than the first" in result.stdout
    assert "3 rows, " in result.stdout and "geometric mean +25.00 %; 0 of 3 rows slower" in result.stdout


@test
def rows_are_sorted_by_their_speedup():
    misbehave('[ $arm$row = cubbynbody ] && seconds=1.9; [ $arm$row = cubbygo ] && seconds=4')
    text = bench("--quick", "--rows=go,nbody,chaos").stdout
    assert [row[0] for row in table_of(text, "cubby over stock")] == ["chaos", "nbody", "go"], text
    assert "1 of 3 rows slower, 1 of them beyond their interval" in text


@test
def every_pass_pairs_each_arm_with_stock_and_stock_with_itself_both_ways_round():
    misbehave()
    result = bench_json("--pairs=3", "--rows=nbody,chaos", "--seed=5")
    assert result["passes"] == 3 and [row["name"] for row in result["rows"]] == ["nbody", "chaos"]
    for row in result["rows"]:
        assert len(row["pairs"]) == 4 * 2 * 3
        for arm, ratio in (("stock", 1), ("list-libc", 2 / 3), ("libc", 1), ("cubby", 1.25)):
            pairs = [pair for pair in row["pairs"] if (pair["base"], pair["arm"]) == ("stock", arm)]
            assert len(pairs) == 6
            if len(result["machine"]["cores_allowed"]) > 1:
                assert sum(pair["base_core"] < pair["arm_core"] for pair in pairs) == 3
            summary = next(entry for entry in row["summary"] if entry["arm"] == arm)
            assert math.isclose(summary["speedup"]["value"], ratio) and summary["pairs"] == 6
        assert row["published_percent"] == published(row["name"])
    seeds = [run[-1] for run in runs()[2:]]
    assert all(seeds.count(seed) == 2 for seed in seeds), "a hash seed is shared by its pair, and by that alone"


@test
def all_arms_have_environments_of_one_size_and_one_preloaded_file():
    misbehave(f'env | LC_ALL=C awk "{{ n += length(\\$0) + 1 }} END {{ print NR, n }}" >> {FOLDER}/sizes; '
              f'echo "$arm $LD_PRELOAD" >> {FOLDER}/preloads')
    result = bench_json("--quick", "--rows=nbody")
    assert result["even_environments"] is True
    with open(os.path.join(FOLDER, "preloads"), encoding="ascii") as file:
        preloads = dict(line.split() for line in file)
    assert {arm: os.path.basename(path) for arm, path in preloads.items()} == {
        "stock": "liblab-null.so", "libc": "liblab-null.so", "list-libc": "fake.so", "cubby": "fake.so"}
    assert len({len(path) for path in preloads.values()}) == 1
    with open(os.path.join(FOLDER, "sizes"), encoding="ascii") as file:
        entries, sizes = zip(*(map(int, line.split()) for line in file))
    # PYTHONHASHSEED alone may have another number of digits, and calibration has 0.
    assert len(set(entries)) == 1 and max(sizes) - min(sizes) <= 10, sizes


@test
def the_same_seed_gives_the_same_order():
    orders = []
    for seed in (11, 11, 12):
        misbehave()
        pairs = bench_json("--pairs=2", f"--seed={seed}", "--rows=nbody")["rows"][0]["pairs"]
        orders.append([(pair["arm"], pair["hash_seed"]) for pair in pairs])
    assert orders[0] == orders[1] != orders[2]


@test
def loops_are_calibrated_under_stock():
    misbehave("[ $loops = 1 ] && seconds=0.01 || seconds=0.4")
    row = bench_json("--pairs=1", "--rows=nbody")["rows"][0]
    assert row["loops"] == 15
    first, *others = runs()
    assert first[:3] == ["stock", "nbody", "1"] and {run[2] for run in others} == {"15"}
    misbehave("[ $loops = 1 ] && seconds=0.01 || seconds=0.4")
    assert bench_json("--pairs=1", "--rows=nbody", "--quick")["rows"][0]["loops"] == 10
    assert all(run[3] == "--quick" for run in runs())


@test
def a_row_whose_package_is_missing_stays_empty_with_the_reason():
    misbehave('[ $row = mako_v2 ] && { echo "python3-mako is not installed" >&2; exit 77; }')
    result = bench("--quick", "--rows=mako_v2,nbody")
    assert result.returncode == 0 and result.stderr == "", result.stderr
    assert "note: mako_v2 is left out: python3-mako is not installed\n1 row, " in result.stdout, result.stdout
    assert [row[0] for row in table_of(result.stdout, "cubby over stock")] == ["nbody"]
    rows = bench_json("--quick", "--rows=mako_v2")["rows"]
    assert rows[0]["left_out"] == {"stock": "python3-mako is not installed"} and rows[0]["pairs"] == []


@test
def an_arm_that_fails_is_left_out_of_that_row_alone_and_the_status_is_1():
    for lines, complaint in (
        ('[ $arm$row = cubbynbody ] && { echo "nbody: the energy changed" >&2; exit 1; }', "the energy changed"),
        ("[ $arm$row = cubbynbody ] && { ulimit -c 0; kill -SEGV $$; }", "Segmentation fault"),
        ("[ $arm$row = cubbynbody ] && row=chaos", "it does not name its row"),
        ("[ $arm$row = cubbynbody ] && loops=77", "another number of rounds"),
        ("[ $arm$row = cubbynbody ] && LD_PRELOAD=", "what it should preload is not loaded"),
    ):
        misbehave(lines)
        result = bench("--quick", "--rows=nbody,chaos")
        assert result.returncode == 1, (lines, result.returncode)
        assert "nbody leaves out cubby" in result.stderr and complaint in result.stderr, result.stderr
        assert [row[0] for row in table_of(result.stdout, "cubby over stock")] == ["chaos"]
        assert len(table_of(result.stdout, "libc over stock")) == 2
        assert "nbody: left out on cubby: " in result.stdout


@test
def the_budget_ends_the_passes_and_every_row_has_as_many_pairs():
    misbehave("seconds=20")  # a pass is thought to take longer than half of the budget
    result = bench_json("--budget=1", "--pairs=1000", "--rows=nbody,chaos", "--arms=cubby", "--quick")
    assert result["budget_spent"] and result["passes"] == 1
    assert {len(row["pairs"]) for row in result["rows"]} == {2 * 2}
    misbehave("seconds=20")
    assert "the budget was spent after 1 of 9 passes" in bench("--budget=1", "--pairs=9", "--rows=nbody").stdout
    misbehave()
    result = bench_json("--budget=10", "--pairs=2", "--rows=nbody", "--quick")
    assert not result["budget_spent"] and result["passes"] == 2


@test
def a_row_ends_when_its_interval_is_narrow_and_the_others_go_on():
    misbehave("seconds=$seconds; [ $arm = cubby ] && seconds=1.${PYTHONHASHSEED#${PYTHONHASHSEED%??}}")
    result = bench_json("--width=2%", "--pairs=9", "--rows=nbody", "--seed=8")
    counts = {entry["arm"]: entry["pairs"] for entry in result["rows"][0]["summary"]}
    assert counts == {"stock": 12, "list-libc": 12, "libc": 12, "cubby": 18}, counts
    assert result["width"] == 0.02 and result["stopping_least_pairs"] == 12 and result["passes"] == 9
    assert result["left"]["wider"] == 1 and (result["left"]["row"], result["left"]["arm"]) == ("nbody", "cubby")
    assert result["left"]["intervals"] == 4 and result["left"]["widest"] > 0.02
    misbehave()
    result = bench("--width=1", "--rows=nbody,chaos", "--arms=cubby")
    assert "2 rows, at most about " in result.stdout and "in 60 passes" in result.stdout
    assert "ends when its interval is narrower than 1 %, after 12 pairs" in result.stdout
    assert "4 of 4 intervals are narrower than 1 %; the widest is 0.00 %" in result.stdout, result.stdout
    assert len(runs()) == 2 + 2 * 2 * 2 * 12 / 2 * 2, "nothing goes on when all have enough"
    for width in ("0", "-1", "200", "x", "%", "nan"):
        assert bench(f"--width={width}").returncode == 2, width


@test
def after_the_first_passes_further_pairs_go_to_the_widest_interval():
    # Scatters by up to 50, 20 and 5 %: after six passes the first is far the widest, and has to catch up alone.
    noise = "seconds=2; last=$((PYTHONHASHSEED % 50)); [ $arm = cubby ] && case $row in " \
            "nbody) seconds=2.$((10 + last));; chaos) seconds=2.$((10 + last % 20));; go) seconds=2.1$((last % 5));; esac"
    misbehave(noise)
    result = bench_json("--width=0.1", "--pairs=20", "--rows=nbody,chaos,go", "--arms=cubby", "--seed=4")
    passes = {row["name"]: [pair["pass"] for pair in row["pairs"] if pair["arm"] == "cubby"] for row in result["rows"]}
    assert all(sorted(set(numbers))[:6] == [0, 1, 2, 3, 4, 5] for numbers in passes.values())
    assert all(len(numbers) == 40 for numbers in passes.values()), "--pairs is the most of each"
    assert sorted(passes["nbody"])[12:24] == [6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11], "it is the widest for long"
    assert max(passes["nbody"]) < max(passes["chaos"]) < max(passes["go"]), passes
    quiet = [pair for row in result["rows"] for pair in row["pairs"] if pair["arm"] == "stock"]
    assert len(quiet) == 3 * 12, "what does not scatter ends"
    misbehave("seconds=20" + noise[noise.index(";"):])
    text = bench("--width=0.1", "--budget=1", "--rows=nbody", "--arms=cubby").stdout
    assert "the budget was spent after 1 passes" in text and "0 of 2 intervals are narrower than 0.1 %" in text, text
    assert "what is left takes about " in text and "--resume=FILE" in text


@test
def pairs_that_the_machine_disturbed_are_kept_but_do_not_count():
    text = "[ $arm$row = cubbynbody ] && [ $((PYTHONHASHSEED % 2)) = 0 ] && "
    for lines, reason in (
        (text + "{ wall=9; seconds=4; }", "held up"),
        (text + "{ major=3; seconds=4; }", "major faults"),
    ):
        misbehave(lines)
        result = bench_json("--pairs=6", "--rows=nbody,chaos", "--seed=21")
        pairs = [pair for pair in result["rows"][0]["pairs"] if pair["arm"] == "cubby"]
        out = [pair for pair in pairs if pair["excluded"]]
        assert len(pairs) == 12 and 0 < len(out) < 12
        assert all(pair["excluded"] == reason and pair["hash_seed"] % 2 == 0 for pair in out)
        summary = next(entry for entry in result["rows"][0]["summary"] if entry["arm"] == "cubby")
        assert summary["pairs"] == 12 - len(out) and summary["excluded_pairs"] == len(out)
        assert math.isclose(summary["speedup"]["value"], 1.25)
        assert {rule["reason"]: rule["pairs"] for rule in result["exclusions"]}[reason] == len(out)
        misbehave(lines)
        shown = bench("--pairs=6", "--rows=nbody,chaos", "--seed=21").stdout
        assert f'excluded for "{reason}": {len(out)} of 96 pairs' in shown and f"  {reason}: one of the two" in shown
    misbehave("[ $arm$row = cubbynbody ] && wall=7")
    assert "nbody: no pair with cubby counts" in bench("--quick", "--rows=nbody,chaos").stdout
    misbehave("wall=70")  # as in calibration: the row waits by itself
    result = bench_json("--quick", "--rows=nbody")
    assert all(pair["excluded"] is None for pair in result["rows"][0]["pairs"])


@test
def a_row_that_changed_has_a_verdict_and_the_noise_floor_is_shown():
    misbehave("case $seconds in 2) seconds=2.00;; esac; seconds=$seconds$((PYTHONHASHSEED % 8))")
    result = bench_json("--pairs=8", "--rows=nbody,chaos,go", "--seed=5")
    floor = result["noise_floor"]
    assert floor["rows"] == floor["within_bound"] == 3 and floor["verdicts"] == 0 and floor["greatest_percent"] < 1
    for row in result["rows"]:
        by_arm = {entry["arm"]: entry for entry in row["summary"]}
        assert by_arm["cubby"]["verdict"] == "faster" and by_arm["list-libc"]["verdict"] == "slower"
        assert by_arm["stock"]["verdict"] == by_arm["libc"]["verdict"] == "undecided"
        assert math.isclose(by_arm["cubby"]["signed_rank_p"], 2 / 2**16)
        assert math.isclose(by_arm["cubby"]["adjusted_p"], 2 / 2**16), "three equal answers stay what they are"
        assert by_arm["cubby"]["pooled_t"]["significant"] and by_arm["cubby"]["pooled_t"]["degrees"] == 30
        student = by_arm["cubby"]["student"]
        assert student["low"] < student["value"] < student["high"]
        for pair in row["pairs"]:
            assert math.isclose(pair["base_seconds"] * row["loops"], pair["base_run"]["cpu_seconds"])
            assert math.isclose(pair["arm_seconds"] * row["loops"], pair["arm_run"]["cpu_seconds"])
            assert pair["started_first"] in ("base", "arm") and 0 <= pair["pass"] < 8
    misbehave()
    text = bench("--pairs=8", "--rows=nbody,chaos,go").stdout
    assert "noise floor: 3 of 3 rows within 1 %, 0.00 % on average, 0.00 % at most" in text, text
    assert "verdicts: 3 faster, 0 slower, 0 undecided" in text
    assert {(float(row[5]) <= 0.05, row[6]) for row in table_of(text, "cubby over stock")} == {(True, "faster")}
    assert {(float(row[5]) <= 0.05, row[6]) for row in table_of(text, "stock over list-libc")} == {(True, "faster")}


def pairs_of(result):
    """What makes a pair that pair, in their order."""
    return [
        [tuple(pair[key] for key in ("base", "arm", "base_core", "arm_core", "hash_seed")) for pair in row["pairs"]]
        for row in result["rows"]
    ]


@test
def an_interrupted_run_goes_on_and_ends_with_the_same_pairs():
    options = ("--rows=nbody,chaos", "--pairs=2", "--seed=3")
    misbehave()
    whole = bench_json(*options)
    path = os.path.join(FOLDER, "journal")
    stop = f"[ $(wc -l < {FOLDER}/runs) -gt 12 ] && {{ touch {FOLDER}/now; exec sleep 100; }}"
    misbehave(stop)
    process = subprocess.Popen(arguments_of(*options, "--resume=" + path), env=environment_of(),
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not os.path.exists(os.path.join(FOLDER, "now")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) == 143
    with open(path, "a", encoding="ascii") as file:
        file.write('{"row": "nbo')  # a line that was cut off
    misbehave()
    resumed = bench_json("--rows=nbody,chaos", "--pairs=2", "--resume=" + path)
    assert pairs_of(resumed) == pairs_of(whole) and resumed["seed"] == 3
    assert 0 < len(runs()) < 2 * sum(map(len, pairs_of(whole))), "what was done is not done again"
    misbehave()
    again = bench_json("--rows=nbody,chaos", "--pairs=2", "--resume=" + path)
    assert pairs_of(again) == pairs_of(whole) and runs() == []
    assert [row["summary"] for row in again["rows"]] == [row["summary"] for row in whole["rows"]]


@test
def a_run_with_a_width_that_was_interrupted_ends_with_the_same_pairs():
    noisy = "[ $arm = cubby ] && seconds=1.6${PYTHONHASHSEED#${PYTHONHASHSEED%??}}\n"
    options = ("--rows=nbody,chaos", "--pairs=10", "--width=2.3", "--seed=3")
    misbehave(noisy)
    whole = bench_json(*options)
    counts = {entry["pairs"] for row in whole["rows"] for entry in row["summary"] if entry["arm"] == "cubby"}
    assert any(12 < count < 20 for count in counts), counts
    for kept in (20, 90):
        path = os.path.join(FOLDER, f"journal-{kept}")
        misbehave(noisy)
        assert pairs_of(bench_json(*options, "--resume=" + path)) == pairs_of(whole)
        with open(path, encoding="ascii") as file:
            lines = file.readlines()
        with open(path, "w", encoding="ascii") as file:
            file.writelines(lines[:kept])
        assert pairs_of(bench_json(*options, "--resume=" + path)) == pairs_of(whole)


@test
def a_file_of_another_run_is_refused_and_stays_as_it_was():
    misbehave()
    path = os.path.join(FOLDER, "other")
    assert bench("--quick", "--rows=nbody", "--seed=3", "--resume=" + path).returncode == 0
    with open(path, encoding="ascii") as file:
        text = file.read()
    broken = text.replace('"cpu_seconds":2', '"cpu_seconds":-2')
    for content, options, complaint in (
        (text, ["--rows=nbody"], "line 1: it is of another experiment"),
        (text, ["--quick", "--seed=4"], "line 1: it is of another experiment"),
        (broken, ["--quick"], "line 3: it is damaged"),
        (text + "hello\n", ["--quick"], "it is damaged"),
        ("hello\n", ["--quick"], "line 1: it is of another experiment"),
    ):
        with open(path, "w", encoding="ascii") as file:
            file.write(content)
        result = bench("--resume=" + path, *options)
        assert result.returncode == 2 and complaint in result.stderr, (complaint, result.stderr)
        with open(path, encoding="ascii") as file:
            assert file.read() == content
    assert bench("--quick", "--resume=/no/folder/file").returncode == 2


@test
def counters_are_those_of_a_loop_and_an_interrupted_run_keeps_them():
    for name, shown in (("strace", '" $((100 + 10 * loops)) total"'),
                        ("valgrind", '"==1== Collected : $((1000 + 500 * loops))"')):
        path = os.path.join(FOLDER, "tools", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as tool:
            tool.write('#!/bin/sh\nfor a; do case $a in --loops=*) loops=${a#--loops=};; esac; done\necho ' + shown + "\n")
        os.chmod(path, 0o755)
    tools = os.path.join(FOLDER, "tools") + ":" + os.environ["PATH"]
    journal = os.path.join(FOLDER, "counters")
    options = ("--quick", "--rows=nbody", "--counters", "--resume=" + journal)
    misbehave('case "$*" in *--settle=2*) after=4000; sleep 0.1;; esac')
    first = bench_json(*options, PATH=tools)
    residents = [counters.pop("resident") for counters in first["rows"][0]["counters"].values()]
    assert all(5 <= len(one["kib"]) <= 100 and min(one["kib"]) > 0 and one["step_ms"] >= 10 for one in residents)
    expected = {"settled_kib": 4000, "peak_kib": 5000, "minor_faults": 12345, "system_calls_a_loop": 10,
                "instructions_a_loop": 500}
    assert first["rows"][0]["counters"] == dict.fromkeys(("stock", "list-libc", "libc", "cubby"), expected)
    misbehave()
    result = bench(*options, PATH=tools)
    assert result.returncode == 0 and runs() == [], "what was counted is not counted again"
    again = bench_json(*options, PATH=tools)["rows"][0]["counters"]
    assert [counters["resident"] for counters in again.values()] == residents and runs() == []
    assert ["nbody", "4.9", "3.9", "12345", "10", "0.001"] in [line.split() for line in result.stdout.splitlines()]
    assert bench_json("--quick", "--rows=nbody")["rows"][0]["counters"] == {}


@test
def pybench_has_rows_of_its_own():
    misbehave()
    arguments = arguments_of("--quick", "--rows=SmallLists,ConcatStrings")
    arguments[2] = "pybench"
    result = subprocess.run(arguments, env=environment_of(), capture_output=True, text=True, timeout=120)
    assert result.returncode == 0 and "table 1" not in result.stdout, result.stdout
    assert {row[0] for row in table_of(result.stdout, "cubby over stock")} == {"SmallLists", "ConcatStrings"}
    assert bench("--rows=SmallLists").returncode == 2


@test
def wrong_options_and_damaged_lists_are_said():
    misbehave()
    result = bench("--rows=nbody,fanuch")
    assert result.returncode == 2 and "fanuch is not one of unpickle_list, regex_effbot" in result.stderr
    for option in ("--rounds=3", "--workloads=ints", "--budget=0", "--arms=dlmalloc"):
        assert bench(option).returncode == 2, option
    seeds = [CUBBY, "bench", "seeds", "--budget=3"]
    assert subprocess.run(seeds, env=environment_of(), capture_output=True, timeout=60).returncode == 2
    result = bench(CUBBY_GUPB="/no/rows")
    assert result.returncode == 126 and "/no/rows" in result.stderr
    result = bench(CUBBY_ADAPTER="/no/adapter.so")
    assert result.returncode == 126 and "/no/adapter.so" in result.stderr
    folder = os.path.join(FOLDER, "rows")
    os.makedirs(folder)
    good = ["suite,name,file,note\ngupb,nbody,a.py,\n"]
    good.append("table,interpreter,cpu,benchmark,speedup_percent\n1,a,b,nbody,1.5\n")
    for rows, figures, complaint in (
        ("suite,name,file,note\ngupb,nbody\n", good[1], "rows.csv: line 2"),
        ("suite,name,file,note\ngupb,,a.py,\n", good[1], "rows.csv: line 2"),
        ("suite,name,file,note\n" + "gupb,n,a.py,\n" * 97, good[1], "rows.csv: line 98"),
        ("suite,name,file,note\npybench,nbody,a.py,\n", good[1], "no row of gupb"),
        (good[0], "", "figures.csv: line 1"),
        (good[0], good[1] + "5,a,b,nbody,1\n", "figures.csv: line 3"),
        (good[0], good[1] + "1,a,b,nbody,fast\n", "figures.csv: line 3"),
    ):
        for name, text in (("rows.csv", rows), ("figures.csv", figures)):
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
        result = bench(CUBBY_GUPB=folder)
        assert result.returncode == 126 and complaint in result.stderr, (complaint, result.stderr)


@test
def an_interrupt_ends_the_children_and_the_status_is_130():
    stay = f"echo $$ >> {FOLDER}/pids && exec sleep 100"
    for lines in (stay, "[ $arm = cubby ] && " + stay):  # in calibration, and in a pair
        misbehave(lines)
        process = subprocess.Popen(arguments_of("--quick", "--rows=nbody"), env=environment_of(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        path = os.path.join(FOLDER, "pids")
        deadline = time.monotonic() + 60
        while not (os.path.exists(path) and os.path.getsize(path) > 0) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130 and "interrupted" in errors, (process.returncode, errors)
        with open(path, encoding="ascii") as file:
            for pid in file.read().split():
                assert not os.path.exists(f"/proc/{pid}"), "a child is still there"
        os.remove(path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-gupb-") as FOLDER:
        PYTHON = os.path.join(FOLDER, "python3")
        with open(PYTHON, "w", encoding="ascii") as stand_in:
            stand_in.write(STAND_IN)
        os.chmod(PYTHON, 0o755)
        ADAPTER = os.path.join(FOLDER, "fake.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", ADAPTER],
                       input=b"int cubby_fake;\n", check=True)
        STATUS = main()
    sys.exit(STATUS)
