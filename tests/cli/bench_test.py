# SPDX-License-Identifier: MIT
"""The experiment from outside, with a stand-in for python3 that takes no time: bench_test.py CUBBY. Prints TAP.

The stand-in prints what a seed would print. What it is told to do wrong, and in which arm, it reads from a file.
"""

import json
import math
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SANITIZER = ("ASAN_OPTIONS", "UBSAN_OPTIONS")

STAND_IN = r"""#!/bin/sh
here=${0%/*}
arm=stock
[ -n "$PYTHONMALLOC" ] && arm=libc
[ "$CUBBY_OBJ" = cubby ] && arm=cubby
[ "$CUBBY_OBJ" = stock ] && arm=list-libc
[ -f "$here/$arm" ] && . "$here/$arm"
if [ "$1" = -c ]; then
    case "$2" in pass) ;; *) echo 8000 ;; esac
    exit 0
fi
env | sort > "$here/environment.$CUBBY_OBJ$PYTHONMALLOC"
seed=${1##*/}
seed=${seed%.py}
rounds=${2#--rounds=}
after=null
[ "$3" = --settle=0 ] || after=1000
seconds=2
[ $arm = cubby ] && seconds=1
[ $arm = list-libc ] && seconds=3
preloaded='[]'
[ -n "$LD_PRELOAD" ] && preloaded='["x.so"]'
echo "{\"seed\": \"$seed\", \"rounds\": $rounds, \"cpu_seconds\": $seconds, \"wall_seconds\": $seconds," \
    "\"peak_kib\": 5000, \"dropped_kib\": 2000, \"after_kib\": $after, \"minor_faults\": 12345," \
    "\"python\": \"3.11.2\", \"preloaded\": $preloaded}"
"""


def misbehave(**arms):
    """Lines of shell for the arms that are to go wrong; the others behave."""
    for name in ("stock", "libc", "cubby", "list-libc"):
        path = os.path.join(FOLDER, name)
        lines = arms.get(name.replace("-", "_"))
        if lines:
            with open(path, "w", encoding="ascii") as file:
                file.write(lines + "\n")
        elif os.path.exists(path):
            os.remove(path)


def arguments_of(*more):
    return [COMMAND, "bench", "seeds", "--quick", "--python=" + PYTHON, "--arms=list-libc,libc,cubby", *more]


def environment_of(**more):
    whole = {"PATH": os.environ["PATH"], "HOME": FOLDER, "CUBBY_ADAPTER": ADAPTER, "NOISE": "1"}
    whole["CUBBY_SEEDS"] = os.path.join(SOURCES, "lab", "seeds")
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


@test
def the_tables_show_speedups_and_the_seeds_figures():
    misbehave()
    result = bench()
    assert result.returncode == 0, result.stderr
    for text in ("2.00x", "0.667x", "38.1 s", "46.1 s", "+20.27 %", "+15.75 %",
                 "cubby over list-libc, 2 direct pairs: +200.0 %", "stock over list-libc: +50.0 %", "12,345",
                 "start-up", "peak MiB", "2 rounds"):
        assert text in result.stdout, text
    assert result.stderr == ""


@test
def the_json_holds_every_pair_both_ways_round():
    misbehave()
    result = bench_json("--pairs=3", "--seed=7")
    cores = len(result["machine"]["cores_allowed"])
    for workload in result["workloads"]:
        lists = workload["name"] == "unpickle_list"
        assert len(workload["pairs"]) == 2 * 3 * (4 if lists else 3), workload["name"]
        for arm in ("list-libc", "libc", "cubby"):
            pairs = [pair for pair in workload["pairs"] if (pair["base"], pair["arm"]) == ("stock", arm)]
            assert len(pairs) == 6
            if cores > 1:
                assert sum(pair["base_core"] < pair["arm_core"] for pair in pairs) == 3
        cubby = [entry for entry in workload["summary"] if entry["arm"] == "cubby" and entry["base"] == "stock"][0]
        assert math.isclose(cubby["speedup"]["value"], 2) and cubby["pairs"] == 6
        assert set(workload["memory"]) == {"stock", "list-libc", "libc", "cubby"}
        assert workload["memory"]["cubby"]["after_kib"] == 1000
    assert result["seed"] == 7 and "--pairs=3" in result["command"]
    assert len(result["startup"]["milliseconds"]["cubby"]) == 20
    assert {"cpu", "kernel", "page_bytes", "thp_enabled", "aslr"} <= set(result["machine"])


@test
def memory_runs_do_as_many_rounds_as_timing_runs():
    misbehave()
    for workload in bench_json("--rounds=4")["workloads"]:
        runs = list(workload["memory"].values())
        assert len(runs) == 4
        for pair in workload["pairs"]:
            runs += [pair["base_run"], pair["arm_run"]]
        assert {run["rounds"] for run in runs} == {4}


@test
def memory_runs_say_how_large_they_were_over_time():
    misbehave(cubby='[ "$3" = --settle=0 ] || sleep 1.3', stock='[ "$3" = --settle=0 ] || sleep 0.3')
    for workload in bench_json("--workloads=ints")["workloads"]:
        cubby, stock = workload["memory"]["cubby"]["resident"], workload["memory"]["stock"]["resident"]
        for resident, least in ((cubby, 1300), (stock, 300)):
            assert 50 <= len(resident["kib"]) <= 100 or resident["step_ms"] == 10, resident
            assert len(resident["kib"]) * resident["step_ms"] >= least - 2 * resident["step_ms"], resident
            assert all(isinstance(size, int) and size > 0 for size in resident["kib"])
        assert cubby["step_ms"] >= 20 and len(cubby["kib"]) <= 100
        assert not any("resident" in pair[run] for pair in workload["pairs"] for run in ("base_run", "arm_run"))


@test
def cubby_is_compared_with_the_fastest_peer_and_in_the_full_form_paired_with_it():
    misbehave()
    result = bench("--workloads=ints")
    assert "cubby over the fastest peer (libc): 2.00x (2.00-2.00) by their speedups\n" in result.stdout, result.stdout
    assert bench_json("--workloads=ints")["workloads"][0]["over_fastest_peer"]["direct"] is None
    full = [option for option in arguments_of("--workloads=ints", "--pairs=2", "--json") if option != "--quick"]
    result = subprocess.run(full, env=environment_of(), capture_output=True, text=True, check=True, timeout=240)
    workload = json.loads(result.stdout)["workloads"][0]
    beside = workload["over_fastest_peer"]
    assert beside["peer"] == "libc" and beside["direct_pairs"] == 4
    assert math.isclose(beside["direct"]["value"], 2) and math.isclose(beside["through_stock"]["value"], 2)
    assert sum((pair["base"], pair["arm"]) == ("libc", "cubby") for pair in workload["pairs"]) == 4


@test
def without_a_peer_there_is_no_such_comparison():
    misbehave()
    result = bench("--workloads=ints", "--arms=cubby")
    assert "fastest peer" not in result.stdout and result.returncode == 0


@test
def the_same_seed_gives_the_same_order():
    misbehave()
    orders = []
    for seed in (11, 11, 12):
        pairs = bench_json("--pairs=4", f"--seed={seed}", "--workloads=ints")["workloads"][0]["pairs"]
        orders.append([(pair["arm"], pair["hash_seed"]) for pair in pairs])
    assert orders[0] == orders[1] != orders[2]


@test
def children_get_a_fixed_environment():
    misbehave()
    assert bench("--workloads=ints").returncode == 0
    fixed = {"PATH", "HOME", "LANG", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"}
    more = {"": set(), "malloc": {"PYTHONMALLOC"}, "cubby": {"CUBBY_OBJ", "CUBBY_MEM", "LD_PRELOAD"}}
    for name, extra in more.items():
        with open(os.path.join(FOLDER, "environment." + name), encoding="utf-8") as file:
            names = {line.split("=")[0] for line in file} - {"PWD", "_", "SHLVL", "OLDPWD"}
        assert names == fixed | extra, (name, names)


@test
def json_goes_to_a_file_and_tables_to_stdout():
    misbehave()
    path = os.path.join(FOLDER, "result.json")
    result = bench("--workloads=ints", "--json=" + path)
    assert result.returncode == 0 and "2.00x" in result.stdout
    with open(path, encoding="utf-8") as file:
        assert json.load(file)["workloads"][0]["name"] == "ints"
    assert bench("--json=/no/folder/x.json").returncode == 2


def dropped(lines, complaint):
    """An arm that goes wrong is dropped with its reason; the rest is measured; the status is 1."""
    misbehave(cubby=lines)
    result = bench("--workloads=ints")
    assert result.returncode == 1, result.returncode
    assert "cubby is dropped" in result.stderr and complaint in result.stderr, result.stderr
    assert "dropped: " in result.stdout and complaint in result.stdout, result.stdout
    assert "0.667x" in result.stdout
    arm = [arm for arm in bench_json("--workloads=ints", status=1)["arms"] if arm["name"] == "cubby"][0]
    assert arm["state"] == "dropped" and complaint in arm["reason"]


@test
def an_arm_that_fails_is_dropped_with_its_reason():
    dropped("echo 'some lines'; echo 'the last line' >&2; exit 3", "ended with status 3: the last line")


@test
def an_arm_that_crashes_is_dropped_with_its_reason():
    dropped("ulimit -c 0; kill -SEGV $$", "Segmentation fault")


@test
def an_arm_that_prints_nonsense_is_dropped_with_its_reason():
    dropped("echo '{\"seed\": \"ints\"'; exit 0", "it is not JSON")
    dropped("head -c 300000 /dev/zero; exit 0", "printed what cannot be used")


@test
def an_arm_that_complains_is_dropped_with_its_reason():
    dropped("echo 'cannot be preloaded: ignored' >&2", "cannot be preloaded: ignored")


@test
def without_stock_there_is_no_experiment():
    misbehave(stock="exit 9")
    result = bench()
    assert result.returncode == 1
    assert "stock is dropped" in result.stderr and "nothing to compare with" in result.stderr


@test
def a_missing_interpreter_adapter_or_seed_folder_is_said():
    misbehave()
    assert bench("--python=/no/python3").returncode == 127
    assert bench("--python=" + FOLDER).returncode == 126
    result = bench(CUBBY_ADAPTER="/no/adapter.so")
    assert result.returncode == 126 and "/no/adapter.so" in result.stderr
    result = bench("--arms=libc", "--workloads=ints", CUBBY_ADAPTER="/no/adapter.so")
    assert result.returncode == 0, "arms without the adapter need none: " + result.stderr
    result = bench(CUBBY_SEEDS="/no/seeds")
    assert result.returncode == 126 and "/no/seeds" in result.stderr


@test
def an_interrupt_ends_the_children_and_the_status_is_130():
    for number in (signal.SIGINT, signal.SIGTERM):
        misbehave(cubby=f"echo $$ >> {FOLDER}/pids; exec sleep 100")
        process = subprocess.Popen(arguments_of("--arms=cubby"), env=environment_of(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        path = os.path.join(FOLDER, "pids")
        deadline = time.monotonic() + 30
        while not (os.path.exists(path) and os.path.getsize(path) > 0) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 128 + number, process.returncode
        assert "interrupted" in errors
        with open(path, encoding="ascii") as file:
            for pid in file.read().split():
                assert not os.path.exists(f"/proc/{pid}"), "a child is still there"
        os.remove(path)


@test
def on_one_core_pairs_run_one_after_the_other_with_a_note():
    misbehave()
    core = min(os.sched_getaffinity(0))
    result = subprocess.run(arguments_of("--workloads=ints"), env=environment_of(), capture_output=True, text=True,
                            timeout=120, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    assert result.returncode == 0, result.stderr
    assert "only one core" in result.stdout and "2.00x" in result.stdout


@test
def progress_is_shown_on_a_terminal_and_only_there():
    misbehave()
    leader, follower = pty.openpty()
    with subprocess.Popen(arguments_of("--workloads=ints"), env=environment_of(), stdout=subprocess.DEVNULL,
                          stderr=follower) as process:
        os.close(follower)
        shown = b""
        try:
            while True:
                shown += os.read(leader, 65536)
        except OSError:
            pass
        process.wait(timeout=60)
    os.close(leader)
    assert b"left  ints: cubby beside stock" in shown and shown.endswith(b"\r\x1b[K")


@test
def native_rows_are_shown_when_the_program_is_there():
    misbehave()
    beside = os.path.join(FOLDER, "beside")
    os.makedirs(os.path.join(beside, "lab", "native"))
    command = shutil.copy(CUBBY, beside)
    micro = os.path.join(beside, "lab", "native", "cubby-micro")
    rows = '{"rows": [{"name": "take and give", "nanoseconds": 1.5, "ratio": 1.1, "against": "inline"}]}'
    for script, status, text in ((f"echo '{rows}'", 0, "take and give"),
                                 ("echo '{}'", 1, "printed what cannot be used"),
                                 ("exit 4", 1, "ended with status 4")):
        with open(micro, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(micro, 0o755)
        result = subprocess.run([command, *arguments_of("--arms=libc", "--workloads=ints")[1:]], env=environment_of(),
                                capture_output=True, text=True, timeout=120)
        assert result.returncode == status, (result.returncode, result.stderr)
        assert text in result.stdout, result.stdout


@test
def the_seeds_do_what_they_say_on_the_real_interpreter():
    for seed in ("ints", "floats", "unpickle_list"):
        program = os.path.join(SOURCES, "lab", "seeds", seed + ".py")
        environment = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        result = subprocess.run([sys.executable, program, "--rounds=1", "--settle=0.05"], env=environment,
                                capture_output=True, text=True, check=True, timeout=120)
        report = json.loads(result.stdout)
        assert report["seed"] == seed and report["rounds"] == 1 and report["preloaded"] == []
        # The check between the two readings may touch a few pages more than the work did.
        assert 0 < report["dropped_kib"] <= report["peak_kib"] + 256 and report["after_kib"] > 0
        wrong = subprocess.run([sys.executable, program, "--turns=1"], env=environment, capture_output=True, text=True,
                               check=False, timeout=120)
        assert wrong.returncode == 1 and "--rounds=N" in wrong.stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-bench-") as FOLDER:
        PYTHON = os.path.join(FOLDER, "python3")
        with open(PYTHON, "w", encoding="ascii") as stand_in:
            stand_in.write(STAND_IN)
        os.chmod(PYTHON, 0o755)
        # Where it lies, the command would find the native program beside itself and run it every time, for seconds.
        COMMAND = shutil.copy(CUBBY, os.path.join(FOLDER, "command"))
        ADAPTER = os.path.join(FOLDER, "fake.so")
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-x", "c", "-", "-o", ADAPTER],
                       input=b"int cubby_fake;\n", check=True)
        STATUS = main()
    sys.exit(STATUS)
