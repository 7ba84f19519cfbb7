# SPDX-License-Identifier: MIT
"""What the programs of the 2016 tables share: options, clocks, and the check of a result.

    python3 FILE.py [NAME] [--loops=N] [--size=2016|today] [--quick] [--settle=SECONDS]

A file holds one benchmark or a family of them; NAME says which. Without an option a program does once what one sample
of 2016 did. --quick does a small piece of it, which shows that all is well and nothing else. --settle drops everything
at the end and goes on with light work for so long.

A program does its loops, compares what came out with what must come out, and prints one line of JSON:

    name            of the benchmark
    size            2016, today or quick
    loops           how many were timed
    seconds         elapsed
    cpu_seconds     processor time of this process and of those that it started, user and system
    check           the result, in short
    peak_kib        VmHWM
    minor_faults    of this process
    major_faults    of this process and of those that it started, while it was timed
    after_kib       VmRSS after the light work, or null without --settle
    python          version of the interpreter
    preloaded       the files of LD_PRELOAD that really are mapped

A wrong result ends with a message and status 1, a wrong option with 2, a package that is not installed with 77.
"""

import os
import resource
import sys
import time

SKIPPED = 77


class Wrong(Exception):
    """A result that is not what it must be."""


class Size:
    """How much a program is to do."""

    def __init__(self, name):
        self.name = name
        self.quick = name == "quick"
        self.today = name == "today"

    def pick(self, full, quick, today=None):
        """One of three numbers; today's is that of 2016 unless there is another."""
        if self.quick:
            return quick
        return full if today is None or not self.today else today


def expect(condition, complaint):
    if not condition:
        raise Wrong(complaint)


def expect_equal(result, expected, what):
    expect(result == expected, f"{what} came out as {result!r:.60}, not {expected!r:.60}")


def need(package, reason="is not installed"):
    """Ends a program that cannot run here, and says what for."""
    print(f"{package} {reason}", file=sys.stderr)
    sys.exit(SKIPPED)


def unrolled(statement, times, names):
    """A function of loops and of the names. Each loop does the statement so many times; it returns `result`."""
    lines = [f"def work(loops, {names}):", " result = None", " for _ in range(loops):"]
    lines += [f"  {statement}"] * times + [" return result"]
    scope = {}
    exec("\n".join(lines), scope)
    return scope["work"]


def usage(message):
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(2)


def options(benchmarks):
    """The benchmark, the loops, the size and the seconds of light work that were asked for."""
    name, loops, size, quick, settle = None, 1, "2016", False, 0
    for argument in sys.argv[1:]:
        option, _, value = argument.partition("=")
        if option == "--loops" and value.isdecimal() and int(value) > 0:
            loops = int(value)
        elif option == "--size" and value in ("2016", "today"):
            size = value
        elif option == "--settle" and value.replace(".", "", 1).isdecimal():
            settle = float(value)
        elif argument == "--quick":
            quick = True
        elif argument in benchmarks and name is None:
            name = argument
        else:
            usage(f"{argument}: give one of {', '.join(benchmarks)}, and --loops=N, --size=2016|today, --quick or --settle=SECONDS")
    if name is None and len(benchmarks) > 1:
        usage(f"which one? {', '.join(benchmarks)}")
    return name or next(iter(benchmarks)), loops, Size("quick" if quick else size), settle


def processor_seconds():
    """Of this process and of its children that have ended."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def major_faults():
    """Of this process and of its children that have ended."""
    return sum(resource.getrusage(who).ru_majflt for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def status_kib(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field + ":"))


def work_lightly(seconds):
    """A program that idles along: every ten milliseconds it makes and drops a few small objects."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        rows = [[number, str(number)] for number in range(100)]
        names = {name: number for number, name in rows}
        expect(len(names) == len(rows), "the light work came out wrong")
        del rows, names
        time.sleep(0.01)


def mapped_preloads():
    """Names of the preloaded files that are part of this process."""
    wanted = [path for path in os.environ.get("LD_PRELOAD", "").split(":") if path]
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        mapped = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    return [os.path.basename(path) for path in wanted if os.path.realpath(path) in mapped]


def main(benchmarks):
    """Runs the benchmark that was asked for, out of {name: (prepare, work, check)}.

    prepare(size) makes the input; work(loops, input) is timed; check(input, result) raises Wrong, or returns the result
    in short.
    """
    name, loops, size, settle = options(benchmarks)
    prepare, work, check = benchmarks[name]
    prepared = prepare(size)
    major_start = major_faults()
    cpu_start, wall_start = processor_seconds(), time.perf_counter()
    result = work(loops, prepared)
    wall_seconds, cpu_seconds = time.perf_counter() - wall_start, processor_seconds() - cpu_start
    major = major_faults() - major_start
    faults, peak = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, status_kib("VmHWM")
    try:
        checked = check(prepared, result)
    except Wrong as wrong:
        print(f"{name}: {wrong}", file=sys.stderr)
        sys.exit(1)
    except Exception as error:  # of another kind than a result has
        print(f"{name}: the result cannot be checked: {error!r}", file=sys.stderr)
        sys.exit(1)

    after = None
    if settle > 0:
        del prepared, result
        work_lightly(settle)
        after = status_kib("VmRSS")

    import json  # only now: it is no part of what was measured

    print(
        json.dumps(
            {
                "name": name,
                "size": size.name,
                "loops": loops,
                "seconds": wall_seconds,
                "cpu_seconds": cpu_seconds,
                "check": checked,
                "peak_kib": peak,
                "minor_faults": faults,
                "major_faults": major,
                "after_kib": after,
                "python": sys.version.split()[0],
                "preloaded": mapped_preloads(),
            }
        )
    )
