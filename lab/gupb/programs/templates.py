# SPDX-License-Identifier: MIT
"""Pages from templates: mako_v2, chameleon_v2, django_v3, and two stand-ins, rietveld and slowspitfire.

rietveld stands in for a page of the code review application of that name, which runs on Python 2 only: a page of ours
with files, chunks and comments, by the same template language (Django's). slowspitfire stands in for the Spitfire
template compiler, which is not to be had any more: what its generated code does, written by hand. The cells of a table
are appended to one list, bit by bit, and joined at the end; the cyclic collector is off, as it was.
"""

import gc
import html
import sys

from program import expect, expect_equal, main, need

TABLE = 150
LONG_TEXT = ("A block goes back to the pool that it came from & is handed out again <soon>. " * 6)[:450]
LONGER_TEXT = ("Pages that nobody needs are given back to the system in the end. " * 10)[:600]


def table_of(rows, columns):
    return [list(range(columns)) for _ in range(rows)]


BASE = """<%def name="render_table(table)"><table>
% for row in table:
<tr>
% for column in row:
<td>${column|h}</td>
% endfor
</tr>
% endfor
</table></%def>
<%def name="img(src, alt)"><img src="${src|u}" alt="${alt}" /></%def>
<html><head><title>${title|h,trim}</title></head><body>${next.body()}</body></html>
"""

PAGE = """<%inherit file="base"/>
<table>
% for row in table:
<tr>
% for column in row:
<td>${column}</td>
% endfor
</tr>
% endfor
</table>
% for number in range(img_count):
${parent.img("/images/picture one.png", "a picture")}
% endfor
${next.body()}
% for paragraph in paragraphs:
<p>${paragraph|x}</p>
% endfor
${parent.render_table(table)}
"""

CONTENT = (
    """<%inherit file="page"/>
"""
    + "".join(f'<%def name="say{i}()">line {i} of six</%def>\n' for i in range(6))
    + """
${say0()} ${say1()} ${say2()} ${say3()} ${say4()} ${say5()}
<p>${long_text}</p>
"""
)


def mako_prepare(size):
    sys.modules["markupsafe"] = None  # escaping shall be Python, as in 2016
    try:
        from mako.lookup import TemplateLookup
    except ImportError as error:
        if "markupsafe" not in str(error):
            need("python3-mako")
        del sys.modules["markupsafe"]  # this Mako cannot do without
        from mako.lookup import TemplateLookup
    lookup = TemplateLookup()
    for name, text in (("base", BASE), ("page", PAGE), ("content", CONTENT)):
        lookup.put_string(name, text)
    count = size.pick(TABLE, 20)
    return lookup.get_template("content"), count, table_of(count, count)


def mako_work(loops, prepared):
    template, _, table = prepared
    for _ in range(loops):
        page = template.render(
            table=table, paragraphs=[LONG_TEXT] * 50, title=" Cubby & others ", img_count=50, long_text=LONGER_TEXT
        )
    return page


def mako_check(prepared, page):
    count = prepared[1]
    cells = "".join(f"<td>{number}</td>\n" for number in range(count))
    expect_equal(page.count(f"<tr>\n{cells}</tr>\n"), 2 * count, "rows of the two tables")
    expect_equal(page.count('<img src="%2Fimages%2Fpicture+one.png" alt="a picture" />'), 50, "images")
    expect_equal(page.count(f"<p>{html.escape(LONG_TEXT)}</p>"), 50, "paragraphs")
    expect("<title>Cubby &amp; others</title>" in page, "the title is another")
    expect(page.endswith("</body></html>\n"), "the end is another")
    expect(all(f"line {i} of six" in page for i in range(6)) and LONGER_TEXT in page, "the content is not there")
    return len(page)


CHAMELEON = """<table xmlns="http://www.w3.org/1999/xhtml" xmlns:tal="http://xml.zope.org/namespaces/tal">
<tr tal:repeat="row python: options['table']"><td tal:repeat="c python: row.values()"><span
 tal:define="d python: c + 1" tal:attributes="class python: 'column-' + str(d)" tal:content="python: d" /></td></tr>
</table>"""


def chameleon_prepare(size):
    try:
        from chameleon import PageTemplate
    except ImportError:
        need("python3-chameleon")
    table = [dict(zip("abcdefghij", range(1, 11))) for _ in range(size.pick(500, 20))]
    return PageTemplate(CHAMELEON), table, size.pick(200, 1, today=1)


def chameleon_work(loops, prepared):
    template, table, renders = prepared
    for _ in range(loops * renders):
        page = template(options={"table": table})
    return page


def chameleon_check(prepared, page):
    rows = len(prepared[1])
    expect_equal(page.count("<tr>"), rows, "rows")
    for value in range(2, 12):
        expect_equal(page.count(f'<span class="column-{value}">{value}</span>'), rows, f"cells of {value}")
    expect(page.endswith("</tr>\n</table>"), "the end is another")
    return len(page)


def django_template(text):
    try:
        import django
        import django.conf
        from django.template import Context, Template
    except ImportError:
        need("python3-django")
    django.conf.settings.configure(
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}], USE_I18N=False
    )
    django.setup()
    return Template(text), Context


DJANGO = """<table>
{% for row in table %}<tr>{% for column in row %}<td>{{ column|escape }}</td>{% endfor %}</tr>
{% endfor %}</table>"""


def django_prepare(size):
    count = size.pick(TABLE, 20, today=100)
    template, context = django_template(DJANGO)
    return template, context({"table": table_of(count, count)}), count


def render_work(loops, prepared):
    template, context, _ = prepared
    for _ in range(loops):
        page = template.render(context)
    return page


def django_check(prepared, page):
    count = prepared[2]
    row = "<tr>" + "".join(f"<td>{number}</td>" for number in range(count)) + "</tr>\n"
    expect(page == f"<table>\n{row * count}</table>", "the table is another")
    return len(page)


REVIEW = """<h1>{{ issue.title|escape }}</h1>{% if issue.closed %}<b>closed</b>{% else %}<b>open</b>{% endif %}
{% for file in issue.files %}<h2>{{ forloop.counter }}. {{ file.path|escape }} ({{ file.lines|length }} lines)</h2>
<table>{% for line in file.lines %}<tr class="{{ line.kind|default:"same" }}"><td>{{ line.number }}</td>
<td>{{ line.text|escape }}</td>{% for comment in line.comments %}<td>{{ comment.author|upper }}:
{{ comment.text|truncatewords:6|escape }}</td>{% endfor %}</tr>{% endfor %}</table>{% endfor %}"""


def rietveld_prepare(size):
    comment = {"author": "reviewer", "text": "I would rather have one list here than three of them"}
    files = []
    for number in range(size.pick(20, 2)):
        lines = [
            {
                "number": i,
                "kind": ("new", "old", "")[i % 3],
                "text": f"if (a < {i} && b)",
                "comments": [comment] * (i % 10 == 0),
            }
            for i in range(50)
        ]
        files.append({"path": f"src/heap/file{number}.c", "lines": lines})
    template, context = django_template(REVIEW)
    return template, context({"issue": {"title": "Lists & pools", "closed": False, "files": files}}), len(files)


def rietveld_check(prepared, page):
    files = prepared[2]
    expect_equal(page.count("<tr class="), 50 * files, "lines")
    expect_equal(page.count("REVIEWER:\nI would rather have one list …</td>"), 5 * files, "comments")
    expect_equal(page.count("<td>if (a &lt; 49 &amp;&amp; b)</td>"), files, "last lines")
    expect_equal(page.count('class="same"'), 16 * files, "lines that are the same")
    expect(
        "Lists &amp; pools" in page and f"{files}. src/heap/file{files - 1}.c (50 lines)" in page,
        "a heading is another",
    )
    expect(page.endswith("</tr></table>"), "the end is another")
    return len(page)


def spitfire_prepare(size):
    rows = size.pick(1000, 20)
    return table_of(rows, 1000), rows


def spitfire_render(table):
    buffer = []
    write = buffer.append
    write("<table>\n")
    for row in table:
        write("<tr>\n")
        for column in row:
            write("<td>")
            write(str(column))
            write("</td>\n")
        write("</tr>\n")
    write("</table>\n")
    return "".join(buffer)


def spitfire_work(loops, prepared):
    gc.disable()
    for _ in range(loops):
        page = spitfire_render(prepared[0])
    gc.enable()
    return page


def spitfire_check(prepared, page):
    row = "<tr>\n" + "".join(f"<td>{number}</td>\n" for number in range(1000)) + "</tr>\n"
    expect(page == f"<table>\n{row * prepared[1]}</table>\n", "the table is another")
    return len(page)


if __name__ == "__main__":
    main(
        {
            "mako_v2": (mako_prepare, mako_work, mako_check),
            "chameleon_v2": (chameleon_prepare, chameleon_work, chameleon_check),
            "django_v3": (django_prepare, render_work, django_check),
            "rietveld": (rietveld_prepare, render_work, rietveld_check),
            "slowspitfire": (spitfire_prepare, spitfire_work, spitfire_check),
        }
    )
