# SPDX-License-Identifier: MIT
"""`cubby compare` from outside: compare_test.py CUBBY. Prints TAP."""

import json
import math
import os
import subprocess
import sys
import tempfile

import recorded
from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])


def compare(*arguments, status=0):
    result = subprocess.run([CUBBY, "compare", *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == status, (arguments, result.returncode, result.stdout, result.stderr)
    return result


def file(name, content):
    return recorded.write(os.path.join(FOLDER, name), content)


def table_of(text, title):
    """The lines of a table, in cells, below its heading."""
    return [line.split() for line in text.split("\n" + title + "\n", 1)[1].split("\n\n")[0].splitlines()[1:]]


@test
def the_arms_stand_over_stock_sorted_with_the_columns_of_2016():
    text = compare(file("a.json", recorded.result())).stdout
    rows = table_of(text, "cubby over stock")
    assert rows[0] == ["go", "+25.00", "+25.00", "to", "+25.00", "2", "+1.54"], rows
    assert rows[1] == ["nbody", "+10.00", "+10.00", "to", "+10.00", "2", "+1.60", "+3.25"], rows
    assert " ".join(rows[2]).startswith("geometric mean +17.26 % over 2 rows")
    assert [row[1] for row in table_of(text, "stock over list-libc")[:2]] == ["+100.00", "+25.00"]
    assert [row[1] for row in table_of(text, "stock over itself: noise alone")[:2]] == ["+0.00", "+0.00"]


@test
def another_base_is_reached_through_stock_and_says_so():
    text = compare("--base=list-libc", "--arm=cubby", file("a.json", recorded.result())).stdout
    rows = table_of(text, "cubby over list-libc")
    assert rows[0][:2] == ["go", "+150.00"] and rows[0][5:7] == ["by", "stock"], rows
    assert rows[1][:2] == ["nbody", "+37.50"] and text.count(" over ") == 2  # the title, and the mean


@test
def pairs_that_were_excluded_and_those_without_times_do_not_count():
    result = recorded.result()
    extra = recorded.pairs("go", "cubby", [100, 100, 100])
    extra[0]["excluded"] = "the machine was busy"
    extra[1]["excluded"] = True
    del extra[2]["arm_run"]["cpu_seconds"]
    result["rows"][1]["pairs"] += extra
    assert table_of(compare(file("a.json", result)).stdout, "cubby over stock")[0][5] == "2"


@test
def two_files_show_then_now_and_the_change_of_what_they_share():
    now = recorded.result()
    now["rows"][0] = recorded.row("nbody", {"stock": 1, "cubby": 1.21}, [None] * 4)
    now["rows"][1]["pairs"][0]["base_run"]["size"] = "today"
    text = compare("--arm=cubby", file("a.json", recorded.result()), file("b.json", now)).stdout
    assert table_of(text, "cubby over stock") == [
        ["nbody", "+10.00", "+21.00", "+10.00", "+10.00", "to", "+10.00"]], text
    assert "left out: go has size 2016 in the first file and today in the second" in text
    del now["rows"][1]
    text = compare(file("a.json", recorded.result()), file("b.json", now)).stdout
    assert "left out: go is not in " + os.path.join(FOLDER, "b.json") in text


@test
def files_that_cannot_be_compared_are_refused_with_what_to_do():
    good, other = file("a.json", recorded.result()), recorded.result()
    other["suite"] = "spans"
    newer, bare, twice = recorded.result(), recorded.result(), recorded.result()
    newer["format"] = 2
    del bare["rows"][0]["pairs"]
    twice["rows"][1]["name"] = "nbody"
    for content, complaint in (("{", "damaged, or not JSON"), ("[1]", "not a result of"), (other, "not a result of"),
                               (newer, "another format"), (bare, "lack names or pairs"), (twice, "lack names")):
        assert complaint in compare(file("bad.json", content), status=2).stderr, complaint
    assert "No such file" in compare(os.path.join(FOLDER, "none.json"), status=2).stderr
    other["suite"] = "pybench"
    assert "two files of one suite" in compare(good, file("bad.json", other), status=2).stderr
    for row in other["rows"]:
        row["pairs"] = []
    assert "nothing to compare" in compare(file("bad.json", other), status=1).stderr


@test
def unknown_arms_rows_and_options_are_answered_with_those_there_are():
    good = file("a.json", recorded.result())
    assert "libc is not an arm of" in compare("--base=libc", good, status=2).stderr
    assert "which has stock, list-libc, cubby" in compare("--arm=dlmalloc", good, status=2).stderr
    assert "chaos is not a row of" in compare("--rows=go,chaos", good, status=2).stderr
    assert "which has nbody, go" in compare("--rows=chaos", good, status=2).stderr
    assert [row[0] for row in table_of(compare("--rows=go", good).stdout, "cubby over stock")] == ["go", "geometric"]
    assert "name a file" in compare(status=2).stderr
    assert "two files at most" in compare(good, good, good, status=2).stderr
    assert "takes one file" in compare("--pyperf=x", good, good, status=2).stderr


CHECKED = ("cpu_count", "cpu_model_name", "hostname", "inner_loops", "name", "platform", "python_executable",
           "python_implementation", "python_version", "unit")
BYTES = ("mem_max_rss", "command_max_rss")


def metadata_check(metadata):
    """The rules of pyperf for what a run says of itself."""
    for name, value in metadata.items():
        if name in ("loops", "inner_loops"):
            assert type(value) is int and value >= 1, (name, value)
        elif name in BYTES:
            assert type(value) is int and value >= 0, (name, value)
        elif name == "unit":
            assert value in ("byte", "integer", "second"), value
        else:
            assert type(value) in (int, str, float), (name, value)
            assert not isinstance(value, str) or value.strip() and "\n" not in value and "\r" not in value, name


def benchmarks_check(suite):
    """The rules of pyperf for a file of its format 1.0. Returns the values of each benchmark."""
    assert suite["version"] == "1.0" and suite["benchmarks"]
    found = {}
    for benchmark in suite["benchmarks"]:
        common = {**suite["metadata"], **benchmark["metadata"]}
        wholes = [{**common, **one.get("metadata", {})} for one in benchmark["runs"]]
        assert wholes and wholes[0]["name"] and wholes[0]["name"] not in found
        for whole, one in zip(wholes, benchmark["runs"]):
            metadata_check(whole)
            assert all(whole.get(key) == wholes[0].get(key) for key in CHECKED)
            assert one.get("values") or one.get("warmups")
            assert all(type(value) in (int, float) and value > 0 for value in one.get("values", ()))
            assert all(loops >= 1 and value >= 0 for loops, value in one.get("warmups", ()))
        found[wholes[0]["name"]] = [value for one in benchmark["runs"] for value in one["values"]]
    return found


@test
def pyperf_gets_a_file_for_each_arm_that_keeps_its_rules():
    result = recorded.result()
    result["machine"]["kernel"] = "Linux\n6"  # what pyperf would refuse is left out
    folder = os.path.join(FOLDER, "pyperf")
    printed = compare("--pyperf=" + folder, file("a.json", result)).stdout.split()
    assert printed == [os.path.join(folder, name + ".json") for name in ("stock", "list-libc", "cubby")]
    suites = []
    for path in printed:
        with open(path, encoding="utf-8") as stream:
            suites.append(json.load(stream))
    stock, _, cubby = map(benchmarks_check, suites)
    assert set(stock) == {"nbody", "go"} and "platform" not in suites[0]["metadata"]
    assert len(cubby["go"]) == 2 and all(math.isclose(value, 0.08) for value in cubby["go"]), "seconds a loop"
    assert len(stock["go"]) == 8 and set(stock["go"]) == {0.1}, "stock ran in all pairs, and twice beside itself"
    assert suites[2]["benchmarks"][0]["runs"][0]["metadata"]["mem_max_rss"] == 2048 * 1024


@test
def pyperf_replaces_no_file():
    folder = os.path.join(FOLDER, "kept")
    os.makedirs(folder)
    kept = recorded.write(os.path.join(folder, "stock.json"), "mine")
    assert "File exists" in compare("--pyperf=" + folder, file("a.json", recorded.result()), status=2).stderr
    with open(kept, encoding="utf-8") as stream:
        assert stream.read() == "mine"
    result = recorded.result()
    result["arms"][0]["name"] = "../stock"
    assert "no usable name" in compare("--pyperf=" + folder, file("a.json", result), "--base=cubby", status=2).stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-compare-") as FOLDER:
        STATUS = main()
    sys.exit(STATUS)
