#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Draws the plots of docs/freelists.md and docs/lists.md from lab/results, with gnuplot, and writes their tables.

    python3 docs/plots/plots.py [FOLDER]

FOLDER is where the SVG files go; docs/plots unless given. Without it the tables in docs/*.md are written, too. The two
plots of times are drawn when objects.json and lists.json are there, which `cubby bench objects` and `cubby bench lists`
write with --json.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "..", "..", "lab", "results")
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#999999", "#e69f00"]
STYLE = """set encoding utf8
set grid ytics lc rgb "#dddddd"
set border 3 lc rgb "#555555"
set tics nomirror out
set key outside top center horizontal samplen 2 width 1
"""


def result_read(name):
    """A result as JSON; None where it has not been recorded."""
    path = os.path.join(RESULTS, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf8") as file:
        return json.load(file)


def plot_draw(folder, name, size, commands):
    path = os.path.join(folder, name + ".svg")
    terminal = f'set terminal svg size {size[0]},{size[1]} font "DejaVu Sans,12" background "white"\n'
    script = f"{terminal}set output '{path}'\n{STYLE}{commands}"
    done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True, check=False)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"plots.py: gnuplot could not draw {name}:\n{done.stderr}")
    print(os.path.relpath(path))


def lines_draw(folder, name, size, settings, lines):
    """Lines from {title: [(x, y)...]}."""
    data, parts = "", []
    for i, (title, points) in enumerate(lines.items()):
        data += f"$line{i} << EOD\n" + "".join(f"{x} {y}\n" for x, y in points) + "EOD\n"
        style = f'lw 2 pt {i + 4} ps 0.7 lc rgb "{COLORS[i % len(COLORS)]}" dt {1 if i < 4 else 2}'
        parts.append(f'$line{i} with linespoints {style} title "{title}"')
    plot_draw(folder, name, size, data + settings + "plot " + ", ".join(parts) + "\n")


def bars_draw(folder, name, size, settings, titles, bars):
    """Groups of bars side by side from [(label, [values])]; None leaves a bar out."""
    data = "$bars << EOD\n"
    for label, values in bars:
        data += f'"{label}" ' + " ".join("NaN" if value is None else f"{value:.6g}" for value in values) + "\n"
    data += "EOD\n"
    settings += "set style data histograms\nset style histogram clustered gap 1.5\nset style fill solid 0.9 border -1\n"
    parts = []
    for i, title in enumerate(titles):
        parts.append(f'$bars using {i + 2}:xtic(1) lc rgb "{COLORS[i % len(COLORS)]}" title "{title}"')
    plot_draw(folder, name, size, data + settings + "plot " + ", ".join(parts) + "\n")


def freelists_draw(folder):
    found = result_read("freelists.json")
    rows = {row["name"]: row for row in found["rows"] if row["allocator"] == "cubby"}
    shown = ["floats, blocks", "ints, blocks", "floats, blocks apart", "floats, no freelist"]
    lines = {
        name: [(i + 1, seen["pages"]) for i, seen in enumerate(rows[name]["counted"]["rounds"])] for name in shown
    }
    settings = 'set logscale y 2\nset yrange [4:2048]\nset xrange [0.5:25.5]\nset xlabel "round"\n'
    settings += 'set ylabel "pages of 1,024 objects in a row"\n'
    lines_draw(folder, "freelists-order", (720, 380), settings, lines)
    bars = []
    for name, row in rows.items():
        label = name.replace(", ", "\\n").replace("blocks ", "blocks\\n").replace("no free", "no\\nfree")
        misses = [row["simulated"][machine] for machine in ("2008", "today")]
        bars.append((label, [seen[cache] for seen in misses for cache in ("first", "last")]))
    titles = ["64 KiB (2008)", "256 KiB (2008)", "32 KiB (today)", "1 MiB (today)"]
    settings = 'set yrange [0:*]\nset ylabel "misses an item"\nset bmargin 4\n'
    bars_draw(folder, "freelists-misses", (860, 400), settings, titles, bars)


def growth_read():
    """The first table of lists-growth.txt: [(rule, items, copies of a byte, unused in percent)]."""
    with open(os.path.join(RESULTS, "lists-growth.txt"), encoding="ascii") as file:
        pattern = r"^ +(\d+)  (\w+) +\d+ +\d+ +([\d.]+) +\d+ +([\d.]+)% +[\d.]+%$"
        found = re.findall(pattern, file.read(), re.MULTILINE)
    return [(rule, int(size), float(copies), float(unused)) for size, rule, copies, unused in found]


def growth_draw(folder):
    rules = {"cubby": "Cubby", "cpython": "CPython", "double": "doubling"}
    rows = growth_read()
    plots = (("copies", 2, "copies of each byte, if all moved"), ("unused", 3, "% of the buffer unused"))
    for name, column, label in plots:
        lines = {title: [(row[1], row[column]) for row in rows if row[0] == rule] for rule, title in rules.items()}
        settings = 'set logscale x\nset format x "10^{%T}"\nset yrange [0:*]\nset xlabel "items, up to"\n'
        settings += f'set ylabel "{label}"\n'
        lines_draw(folder, f"lists-growth-{name}", (420, 320), settings, lines)


def change_draw(folder):
    found = result_read("lists-change.json")
    titles = {("libc", "cpython"): "libc", ("libc", "cubby"): "libc, Cubby's rule", ("cubby", "cubby"): "Cubby"}
    values = {(line["row"], line["allocator"], line["rule"]): line["instructions"] / 1e6 for line in found["rows"]}
    rows = list(dict.fromkeys(line["row"] for line in found["rows"]))
    bars = [(row, [values[(row, *arm)] for arm in titles]) for row in rows]
    settings = 'set yrange [0:*]\nset ylabel "instructions an item"\nset bmargin 3\n'
    bars_draw(folder, "lists-instructions", (860, 380), settings, list(titles.values()), bars)


def objects_times_draw(folder, found):
    arms = [arm["arm"] for arm in found["rows"][0]["arms"]]
    bars = []
    for row in found["rows"]:
        times = {arm["arm"]: arm["time_over_none_on_cubby"] for arm in row["arms"]}
        bars.append((row["name"].replace("-", "\\n"), [time_value(times.get(arm)) for arm in arms]))
    settings = 'set yrange [0:*]\nset ylabel "time of a round, over none on Cubby"\nset bmargin 4\n'
    bars_draw(folder, "freelists-times", (1000, 420), settings, arms, bars)


def time_value(estimate):
    """The figure of an estimate with an interval, as the suites write it; None where there is none."""
    return None if estimate is None else estimate["value"]


def lists_times_draw(folder, found):
    arms = list(dict.fromkeys(entry["arm"] for entry in found["rows"][0]["entries"] if entry["arm"] != "cubby"))
    bars = []
    for row in found["rows"]:
        times = {entry["arm"]: entry["time_over_cubby"] for entry in row["entries"] if entry["rule"] == "cpython"}
        bars.append((row["name"], [time_value(times.get(arm)) for arm in arms]))
    # One row of ten times the others; twice as fast is as far from 1 as half as fast.
    settings = 'set logscale y 2\nset yrange [0.5:*]\nset ylabel "time of an item, over Cubby"\n'
    bars_draw(folder, "lists-times", (860, 380), settings, arms, bars)


# ---- Tables ----


def freelists_table():
    lines = ["| | on | lines | pages | faults | peak, MiB | instructions | 64 KiB, 256 KiB | 32 KiB, 1 MiB |"]
    lines.append("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for row in result_read("freelists.json")["rows"]:
        rounds = row["counted"]["rounds"]
        faults = sum(seen["faults"] for seen in rounds[1:]) / (len(rounds) - 1)
        misses = [f"{seen['first']:.2f}, {seen['last']:.2f}" for seen in row["simulated"].values()]
        cells = [row["name"], row["allocator"], f"{rounds[-1]['lines']:.0f}", f"{rounds[-1]['pages']:.0f}"]
        cells += [f"{faults:,.0f}", f"{row['counted']['peak_kib'] / 1024:.0f}"]
        cells += [f"{row['simulated']['today']['instructions']:.0f}", *misses]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def change_table():
    lines = ["| | buffers on | rule | instructions | changes | bytes copied | faults | system calls |"]
    lines.append("|---|---|---|--:|--:|--:|--:|--:|")
    last = None
    for row in result_read("lists-change.json")["rows"]:
        cells = [row["row"] if row["row"] != last else "", row["allocator"], row["rule"]]
        cells += [f"{row['instructions'] / 1e6:.1f}", f"{row['changes'] / 1e6:.4f}", f"{row['bytes_copied'] / 1e6:.1f}"]
        cells += [f"{max(row['minor_faults'], 0):.0f}", f"{row['calls']:.0f}"]
        lines.append("| " + " | ".join(cells) + " |")
        last = row["row"]
    return lines


def unpickle_table():
    lines = ["| | instructions | data misses | mispredicted branches |", "|---|--:|--:|--:|"]
    for row in result_read("lists-change.json")["unpickle_list"]:
        misses = max(row["data misses"], 0)  # start and end differ by a few between two runs
        lines.append(f"| {row['arm']} | {row['instructions']:,.0f} | {misses:.0f} | {row['mispredicts']:.0f} |")
    return lines


def histories_table():
    """What lists of real programs come to: the last lines of lists-growth.txt."""
    lines = ["| rule | lists | changes a list | bytes copied | bytes unused | share |", "|---|--:|--:|--:|--:|--:|"]
    with open(os.path.join(RESULTS, "lists-growth.txt"), encoding="ascii") as file:
        found = file.read().rsplit("\nall ", 1)[1]
    pattern = r"(\w+) +(\d+) +\d+ +([\d.]+) +(\d+) +\d+ +(\d+) +([\d.]+%)"
    for rule, count, each, copied, unused, share in re.findall(pattern, found):
        lines.append(f"| {rule} | {int(count):,} | {each} | {int(copied):,} | {int(unused):,} | {share} |")
    return lines


TABLES = {
    "freelists.md": {"freelists": freelists_table},
    "lists.md": {"change": change_table, "unpickle_list": unpickle_table, "histories": histories_table},
}


def tables_write():
    """What stands between the two marks of a table is written anew."""
    for name, tables in TABLES.items():
        path = os.path.join(HERE, "..", name)
        with open(path, encoding="utf8") as file:
            text = file.read()
        for table, make in tables.items():
            begin, end = f"<!-- table: docs/plots/plots.py, {table} -->\n", "<!-- end of table -->\n"
            if begin not in text or end not in text.split(begin)[1]:
                sys.exit(f"plots.py: docs/{name} has no marks for the table {table}")
            before, behind = text.split(begin)
            text = before + begin + "\n".join(make()) + "\n" + end + behind.split(end, 1)[1]
        with open(path, "w", encoding="utf8") as file:
            file.write(text)
        print(os.path.relpath(path))


def main():
    if len(sys.argv) > 2 or (len(sys.argv) == 2 and not os.path.isdir(sys.argv[1])):
        sys.exit("usage: plots.py [FOLDER]; FOLDER is where the plots go")
    folder = sys.argv[1] if len(sys.argv) == 2 else HERE
    if folder == HERE:
        tables_write()
    for draw in (freelists_draw, growth_draw, change_draw):
        draw(folder)
    for name, draw in (("objects.json", objects_times_draw), ("lists.json", lists_times_draw)):
        found = result_read(name)
        if found is None:
            print(f"no plot of times: lab/results/{name} is not there")
        else:
            draw(folder, found)


if __name__ == "__main__":
    main()
