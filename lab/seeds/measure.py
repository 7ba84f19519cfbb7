# SPDX-License-Identifier: MIT
"""What the seeds share: options, clocks, counters, and the light work that follows the rounds.

A seed is a program that does its rounds, drops everything, and prints one line of JSON:

    seed            its name
    rounds          how many rounds were timed
    cpu_seconds     processor time of the rounds, user and system
    wall_seconds    elapsed time of the rounds
    peak_kib        VmHWM after the rounds
    dropped_kib     VmRSS as soon as everything was dropped
    after_kib       VmRSS after the light work, or null without --settle
    minor_faults    of the whole process up to the end of the rounds
    python          version of the interpreter
    preloaded       the files of LD_PRELOAD that really are mapped
"""

import os
import resource
import sys
import time


def options():
    """The rounds and the seconds of light work asked for with --rounds=N and --settle=SECONDS."""
    chosen = {"--rounds": 5, "--settle": 0.0}
    for argument in sys.argv[1:]:
        name, equals, value = argument.partition("=")
        if name not in chosen or not equals:
            sys.exit(f"{sys.argv[0]}: {argument}: the options are --rounds=N and --settle=SECONDS")
        chosen[name] = type(chosen[name])(value)
    if chosen["--rounds"] < 1:
        sys.exit(f"{sys.argv[0]}: at least one round is needed")
    return chosen["--rounds"], chosen["--settle"]


def status_kib(field):
    """One size of /proc/self/status, in KiB."""
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    sys.exit(f"/proc/self/status has no {field}")


def work_lightly(seconds):
    """A program that idles along: every ten milliseconds it makes and drops a few small objects."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        rows = [[number, number + 1, number + 2] for number in range(100)]
        names = {str(number): number * 1000 for number in range(100)}
        words = " ".join(names).split(" ")
        if len(rows) != len(words):
            sys.exit("the light work came out wrong")
        del rows, names, words
        time.sleep(0.01)


def mapped_preloads():
    """Names of the preloaded files that are part of this process."""
    wanted = [path for path in os.environ.get("LD_PRELOAD", "").split(":") if path]
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    return [os.path.basename(path) for path in wanted if os.path.realpath(path) in mapped]


def run(name, prepare, work, check):
    """Times work(prepared, rounds), lets check(prepared, result) raise if it is wrong, and prints the line.

    Preparing and checking are outside the timed part; so is the dropping of the last result.
    """
    rounds, settle = options()
    prepared = prepare()
    cpu_start, wall_start = time.process_time(), time.perf_counter()
    result = work(prepared, rounds)
    cpu_seconds, wall_seconds = time.process_time() - cpu_start, time.perf_counter() - wall_start
    minor_faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    peak_kib = status_kib("VmHWM")
    check(prepared, result)
    del prepared, result
    dropped_kib = status_kib("VmRSS")
    after_kib = None
    if settle > 0:
        work_lightly(settle)
        after_kib = status_kib("VmRSS")

    import json  # only now: it is no part of what was measured

    print(
        json.dumps(
            {
                "seed": name,
                "rounds": rounds,
                "cpu_seconds": cpu_seconds,
                "wall_seconds": wall_seconds,
                "peak_kib": peak_kib,
                "dropped_kib": dropped_kib,
                "after_kib": after_kib,
                "minor_faults": minor_faults,
                "python": sys.version.split()[0],
                "preloaded": mapped_preloads(),
            }
        )
    )
