# SPDX-License-Identifier: MIT
"""`cubby report` from outside: report_test.py CUBBY. Prints TAP."""

import html.parser
import os
import re
import subprocess
import sys
import tempfile

import recorded
from tap import main, test

CUBBY = os.path.abspath(sys.argv[1])
VOID = {"meta", "br"}
DRAWN = {"line", "rect", "circle", "path"}


class Page(html.parser.HTMLParser):
    """The elements of a page and its text; complains when they do not nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.texts = [], [], {}
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        assert tag in DRAWN, tag
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag):
        return "\n".join(self.texts.get(tag, []))


def report(*arguments, status=0):
    result = subprocess.run([CUBBY, "report", *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == status, (arguments, result.returncode, result.stdout, result.stderr)
    return result


def source_of(*contents):
    files = [recorded.write(os.path.join(FOLDER, f"{i}.json"), content) for i, content in enumerate(contents)]
    path = os.path.join(FOLDER, "page.html")
    assert report(*files, "-o", path).stdout == ""
    with open(path, encoding="utf-8") as stream:
        return stream.read()


@test
def the_page_has_a_bar_with_whiskers_for_each_row_and_arm_and_a_dot_for_each_pair():
    page = Page(source_of(recorded.result()))
    kinds = [attributes.get("class") for tag, attributes in page.elements if tag in DRAWN]
    assert kinds.count("faster") + kinds.count("slower") == 2 * 3 and kinds.count("peak") == 2 * 3
    assert kinds.count("dot") == 2 * 3 * 2
    assert kinds.count("whisker") == 2 * 3 + 2 * 3  # an interval for each bar, a median for each line of dots
    # of stock, list-libc and cubby, sorted within each
    widths = [float(bar["width"]) for bar in page.all("rect") if bar["class"] in ("faster", "slower")]
    assert widths[:2] == [1, 1] and abs(widths[2] / widths[3] - 100 / 25) < 0.1, widths
    assert abs(widths[4] / widths[5] - 25 / 10) < 0.1, widths
    assert "+25.00 %" in page.text("text") and "+100.00 %" in page.text("text")


def marks_of(chart):
    """Place and number of each mark below a chart."""
    found = re.findall(r'class="mark" x="([0-9.]+)" y="[0-9.]+">([^<]*)<', chart)
    return [(float(place), float(number)) for place, number in found]


@test
def marks_are_evenly_spaced_and_the_bars_begin_at_zero():
    result = recorded.result()
    for low, high in ((0.99, 1.005), (0.92, 1.9), (0.4, 1.01), (0.97, 9), (0.5, 0.9), (1.2, 1.6)):
        rows = {"a": low, "b": high}
        result["rows"] = [recorded.row(name, {"cubby": ratio}, [None] * 4) for name, ratio in rows.items()]
        text = source_of(result)
        assert "table 1" not in text
        chart = next(part for part in text.split("<svg")[1:] if 'rect class="' in part and "%D" in part)
        marks = marks_of(chart)
        scale = (marks[-1][0] - marks[0][0]) / (marks[-1][1] - marks[0][1])
        zero = next(place for place, number in marks if number == 0)
        assert len(marks) >= 3 and all(abs(zero + number * scale - place) < 0.2 for place, number in marks), marks
        bars = re.findall(r'rect class="(\w+)" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)"', chart)
        for (kind, start, width), ratio in zip(bars, (high, low)):
            begin, end = (float(start), float(start) + float(width))[:: -1 if kind == "slower" else 1]
            assert abs(begin - zero) < 0.2 and abs(end - zero - (ratio - 1) * 100 * scale) < 1, (kind, marks)


@test
def every_chart_has_a_title_and_every_table_a_caption_and_headers():
    page = Page(source_of(recorded.result(), recorded.result()))
    charts = page.all("svg")
    assert len(charts) == 2 * (3 + 2 + 2) and all(chart["role"] == "img" for chart in charts)
    titles = [page.elements[i + 1][0] for i, (tag, _) in enumerate(page.elements) if tag == "svg"]
    assert set(titles) == {"title"}
    assert len(page.all("caption")) == len(page.all("table")) > 0
    assert page.all("th") and all(cell.get("scope") in ("row", "col") for cell in page.all("th"))
    assert page.all("html") == [{"lang": "en"}] and len(page.all("h1")) == 1


@test
def the_page_needs_no_script_and_nothing_from_elsewhere():
    text = source_of(recorded.result())
    page = Page(text)
    foreign = {"script", "link", "img", "iframe", "object", "embed", "image", "use"}
    assert not foreign & {tag for tag, _ in page.elements}
    for _, attributes in page.elements:
        assert not {"src", "href", "srcset", "style"} & set(attributes)
        assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in text and "@import" not in text and "://" not in text
    assert "prefers-color-scheme:dark" in text and 'content="width=device-width' in text


NASTY = "<script>alert(1)</script>\"'&amp;"


@test
def nothing_that_a_file_says_becomes_markup():
    result = recorded.result()
    result["rows"][0] = recorded.row(NASTY, {"stock": 1, NASTY: 1.5}, [None] * 4)
    result["rows"][0].update(note=NASTY, program=NASTY, left_out={NASTY: NASTY})
    result["rows"][0]["summary"][0].update({NASTY: NASTY, "list": [NASTY]})
    result["arms"][2] = {"name": NASTY, "meaning": NASTY, "environment": [NASTY], "state": NASTY, "reason": NASTY}
    result.update(date=NASTY, cubby=NASTY, python=NASTY, command=["cubby bench", NASTY], warnings=[NASTY],
                  environment={NASTY: NASTY})
    result["machine"].update({NASTY: [NASTY], "cpu": NASTY, "warnings": [NASTY]})
    text = source_of(result)
    page = Page(text)
    assert not page.all("script") and text.count("<script") == 0
    said = sum(parts.count(NASTY) for parts in ("\n".join(page.texts[tag]) for tag in page.texts))
    assert said > 15, said
    assert all(attributes["aria-label"] for attributes in page.all("div"))


@test
def warnings_the_machine_and_the_commands_are_there():
    result = recorded.result()
    result.update(quick=True, budget_spent=True, warnings=["the governor is powersave"])
    result["machine"]["cores_allowed"] = [0]
    result["rows"][0].update(note="other pieces", left_out={"cubby": "it failed"})
    result["rows"][1]["pairs"][0]["excluded"] = "busy"
    result["rows"][1]["pairs"] += recorded.pairs("go", "stock", [0.5])
    result["arms"].append({"name": "mimalloc", "state": "left out", "reason": "libmimalloc.so.2 is not there"})
    page = Page(source_of(result))
    notes = page.text("li")
    for part in ("quick form", "budget of time", "Only one core", "governor is powersave", "nbody: other pieces",
                 "left out on cubby: it failed", "go: 1 of 7 pairs do not count", "stock beside itself differs",
                 "mimalloc is not here: libmimalloc.so.2 is not there"):
        assert part in re.sub(r"\n(?=[^\n])", "", notes) or part in notes, (part, notes)
    commands = page.text("pre")
    assert "cubby bench gupb --json=it.json --seed=5" in commands, commands
    assert "/usr/bin/python3 lab/gupb/programs/a.py nbody --loops=10 --quick" in commands, commands
    assert "Some CPU" in page.text("td") and "glibc 2.36" in page.text("td")


@test
def counters_and_figures_that_came_later_are_shown_where_they_are():
    result = recorded.result()
    cells = Page(source_of(result)).text("td").split("\n")
    assert {"2.0", "7"} <= set(cells) and "1234567" not in cells  # peak MiB and faults, of the runs
    assert "settled MiB" not in source_of(result)
    result["rows"][0]["memory"] = {"cubby": {"peak_kib": 5120, "settled_kib": 3072}}
    result["rows"][0]["counters"] = {"cubby": {"instructions": 1234567, "system_calls_a_loop": 89}}
    result.update(noise_floor={"within_bound": 41},
                  exclusions=[{"reason": "other load", "meaning": "another program ran", "pairs": 3}])
    result["rows"][0]["summary"][2].update(signed_rank_p=0.031, t_interval={"value": 1.5, "low": 1.25, "high": 1.75})
    text = source_of(result)
    page = Page(text)
    cells = page.text("td").split("\n")
    assert "5.0 MiB, settled 3.0" in page.text("text")
    widths = {bar["class"]: float(bar["width"]) for bar in page.all("rect") if bar["class"] in ("peak", "settled")}
    full = [float(bar["width"]) for bar in page.all("rect") if bar["class"] == "peak"][2]
    assert abs(widths["settled"] / full - 3 / 5) < 0.01
    assert {"5.0", "3.0", "1234567", "89"} <= set(cells), cells
    assert "41" in cells and "other load: another program ran (3 pairs)" in text
    assert "signed rank p 0.031" in text and "t interval 1.5 (1.25 to 1.75)" in text


def with_sizes():
    """A result in which the size of two arms was followed, under either of the keys that suites use."""
    result = recorded.result()
    followed = {"step_ms": 500, "kib": [10240, 51200, 51200, 20480]}
    result["rows"][0]["memory"] = {"cubby": {"peak_kib": 51200, "after_kib": 20480, "resident": followed}}
    result["rows"][0]["counters"] = {"stock": {"peak_kib": 102400, "resident": {"step_ms": 1000, "kib": [102400] * 2}}}
    return result


@test
def the_size_over_time_is_a_line_for_each_arm_with_a_legend_and_a_table():
    text = source_of(with_sizes())
    page = Page(text)
    chart = next(part for part in text.split("<svg")[1:] if "Resident size" in part).split("</svg>")[0]
    lines = re.findall(r'class="line (arm\d)" d="M([^"h]*)"', chart)
    assert [style for style, _ in lines] == ["arm0", "arm2"], lines
    stock, cubby = ([tuple(map(float, point.split())) for point in points.split("L")] for _, points in lines)
    assert len(stock) == 2 and len(cubby) == 4
    # both end after two seconds; a size is as far above the axis as it is large
    zero = next(float(y) for y in re.findall(r'class="zero" x1="[0-9.]+" y1="([0-9.]+)"', chart))
    assert stock[-1][0] == cubby[-1][0] and stock[0][0] == cubby[1][0] < cubby[2][0]
    heights = [zero - y for _, y in stock + cubby]
    assert all(abs(height / heights[0] - share) < 0.01 for height, share in zip(heights, (1, 1, 0.1, 0.5, 0.5, 0.2)))
    names = re.findall(r'h26"/><text [^>]*>([^<]*)<', chart)
    assert names == ["stock", "cubby"] and ">MiB<" in chart and ">2 s<" in chart
    table = next(part for part in text.split("<table>")[1:] if "<caption>Resident size" in part).split("</table>")[0]
    rows = [re.findall(r">([^<>]+)</t[hd]>", row) for row in table.split("<tr>")[2:]]
    assert rows == [["stock", "2.00"] + ["100.0"] * 5, ["cubby", "2.00", "10.0", "50.0", "50.0", "20.0", "50.0"]], rows
    for name in ("arm%d" % number for number in (0, 1, 2, 3, 4, 5, 6)):
        assert "." + name + "{stroke:" in page.text("style")


@test
def what_is_no_size_over_time_is_not_drawn():
    assert "Resident size" not in source_of(recorded.result()), "an older file"
    for wrong in (None, 5, [], {}, {"kib": [1]}, {"step_ms": 10}, {"step_ms": 0, "kib": [1]},
                  {"step_ms": -1, "kib": [1]}, {"step_ms": 10, "kib": []}, {"step_ms": "10", "kib": [1]}, {"step_ms": 10, "kib": 7}):
        result = with_sizes()
        result["rows"][0]["memory"]["cubby"]["resident"] = wrong
        assert source_of(result).count("Resident size in MiB over seconds") == 1
        del result["rows"][0]["counters"]
        assert "Resident size" not in source_of(result), wrong
    result = with_sizes()
    for strange in ({"step_ms": 1e300, "kib": [1e300, -5, None, "x"]}, {"step_ms": 1e-300, "kib": [0]}):
        result["rows"][0]["memory"]["cubby"]["resident"] = strange
        text = source_of(result)
        places = re.findall(r'class="line arm\d" d="M([^"h]*)', text)
        numbers = [float(number) for line in places for number in re.split("[L ]", line)]
        assert len(numbers) >= 4 and all(0 <= number <= 360 for number in numbers), numbers


@test
def files_with_little_in_them_still_make_a_page():
    result = {"format": 1, "suite": "seeds", "workloads": [{"name": "ints", "pairs": []}]}
    page = Page(source_of(result))
    assert not page.all("svg") and "ints" in page.text("summary")
    result = recorded.result()
    for pair in result["rows"][0]["pairs"]:
        pair["arm_run"]["cpu_seconds"] = 1e-300  # no chart is wide enough for that
    places = [value for tag, attributes in Page(source_of(result)).elements if tag in DRAWN
              for name, value in attributes.items() if name not in ("class", "d")]
    assert places and all(-1 <= float(place) <= 360 for place in places)


@test
def wrong_files_and_options_are_said_and_the_old_page_stays():
    path = recorded.write(os.path.join(FOLDER, "old.html"), "old")
    good = recorded.write(os.path.join(FOLDER, "good.json"), recorded.result())
    bad = recorded.write(os.path.join(FOLDER, "bad.json"), "{")
    assert "damaged, or not JSON" in report(good, bad, "-o", path, status=2).stderr
    assert "with -o where the page goes" in report(good, status=2).stderr
    assert "name a file" in report("-o", path, status=2).stderr
    assert "No such file" in report(good, "-o", os.path.join(FOLDER, "none", "x.html"), status=1).stderr
    with open(path, encoding="utf-8") as stream:
        assert stream.read() == "old"
    assert not [name for name in os.listdir(FOLDER) if name.endswith(".part")]


@test
def what_is_no_plain_file_is_written_to_and_stays_what_it_is():
    good = recorded.write(os.path.join(FOLDER, "good.json"), recorded.result())
    assert report(good, "-o", "/dev/stdout").stdout.endswith("</html>\n")
    target = recorded.write(os.path.join(FOLDER, "target.html"), "old")
    link = os.path.join(FOLDER, "link.html")
    os.symlink(target, link)
    report(good, "-o", link)
    with open(target, encoding="utf-8") as stream:
        assert stream.read().endswith("</html>\n") and os.path.islink(link)
    assert "Is a directory" in report(good, "-o", FOLDER, status=1).stderr


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cubby-report-") as FOLDER:
        STATUS = main()
    sys.exit(STATUS)
