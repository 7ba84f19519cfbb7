"""lxml: parse, search, change, transform and stream documents that are libxml2's through objects of Python's."""

import gc
import io
import os
import sys
import threading

from lxml import etree, html

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

ENTRIES = 2_000
STYLE = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:own="urn:own"><xsl:output method="text"/>
<xsl:template match="/"><xsl:for-each select="store/entry[@kind='1']">
<xsl:sort select="@number" data-type="number" order="descending"/>
<xsl:value-of select="own:name(string(@number))"/>;</xsl:for-each></xsl:template>
</xsl:stylesheet>"""


def document(seed):
    parts = ["<store>"]
    for number in range(ENTRIES):
        parts.append(f'<entry number="{number}" kind="{(number + seed) % 3}"><text>{"x" * (number % 90)}\u00e9</text>')
        parts.append(f"<!-- {number} --><price>{number / 4}</price></entry>tail {number}")
    return "".join([*parts, "</store>"]).encode()


def check_tree(seed):
    root = etree.fromstring(document(seed))
    assert len(root) == ENTRIES
    kind = [int(number) for number in root.xpath("entry[@kind='1']/@number")]
    assert kind == [number for number in range(ENTRIES) if (number + seed) % 3 == 1]
    assert root.xpath("sum(entry/price)") == sum(number / 4 for number in range(ENTRIES))
    assert [len(text) for text in root.xpath("entry/text/text()")] == [number % 90 + 1 for number in range(ENTRIES)]
    for entry in root.findall("entry")[::2]:
        root.remove(entry)
    kept = root.findall("entry")[5:10]
    root = None
    gc.collect()
    # Entries keep their document alive.
    assert [entry.get("number") for entry in kept] == ["11", "13", "15", "17", "19"]
    assert kept[0].tail == "tail 11" and kept[0].getnext() is kept[1]


def check_style(seed):
    def name(context, number):
        return f"entry {int(number)} of {seed}"

    extensions = {("urn:own", "name"): name}
    transform = etree.XSLT(etree.fromstring(STYLE), extensions=extensions)
    found = [line.strip() for line in str(transform(etree.fromstring(document(seed)))).split(";")[:-1]]
    expected = [number for number in range(ENTRIES) if (number + seed) % 3 == 1]
    assert found == [f"entry {number} of {seed}" for number in reversed(expected)]


def check_stream(seed):
    numbers, prices = [], 0
    for event, element in etree.iterparse(io.BytesIO(document(seed)), events=("start", "end")):
        if event == "end" and element.tag == "entry":
            numbers.append(int(element.get("number")))
            prices += float(element.findtext("price"))
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
    assert numbers == list(range(ENTRIES)) and prices == sum(number / 4 for number in range(ENTRIES))

    class Target:
        """Called by the parser for each event."""

        def __init__(self):
            self.tags = {}

        def start(self, tag, attributes):
            self.tags[tag] = self.tags.get(tag, 0) + len(dict(attributes))

        def end(self, tag):
            pass

        def data(self, text):
            pass

        def close(self):
            return self.tags

    tags = etree.fromstring(document(seed), etree.XMLParser(target=Target()))
    assert tags == {"store": 0, "entry": 2 * ENTRIES, "text": 0, "price": 0}


def check_errors():
    for text in (b"<a><b></a>", b"", b"<a>&undefined;</a>"):
        try:
            etree.fromstring(text)
        except etree.XMLSyntaxError as error:
            assert len(error.error_log) > 0
        else:
            raise AssertionError(text)
    page = html.fromstring("<table><tr><td>1<td>2<tr><td>3</table><p>open" * 200)
    assert len(page.xpath("//td")) == 600


assert probe.is_as_asked()
done = []


def all_of_it(seed):
    check_tree(seed)
    check_style(seed)
    check_stream(seed)
    check_errors()
    done.append(seed)


all_of_it(0)
threads = [threading.Thread(target=all_of_it, args=(seed,)) for seed in (1, 2, 3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(done) == [0, 1, 2, 3]
print("right")
