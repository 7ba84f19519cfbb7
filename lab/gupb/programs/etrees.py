# SPDX-License-Identifier: MIT
"""The ElementTree family: etree_process, etree_generate, etree_parse, etree_iterparse, on trees of 5,103 elements."""

import io
import tempfile
import xml.etree.ElementTree as etree

from program import expect, expect_equal, main

LEAVES, DEPTH = 100, 51


def tree_make(children):
    """Children with a hundred leaves each, and a chain with one leaf at its end."""
    root = etree.Element("root")
    for number in range(children):
        child = etree.SubElement(root, f"child-{number}", tag=str(number))
        for leaf in range(LEAVES):
            etree.SubElement(child, "leaf").text = f"LEAF-{number}-{leaf}"
    deep = root
    for _ in range(DEPTH):
        deep = etree.SubElement(deep, "deeper")
    etree.SubElement(deep, "deepest").text = "END"
    root.set("count", str(sum(1 for _ in root.iter())))
    return root


def children_of(size):
    return size.pick(50, 5)


def elements_of(children):
    return 1 + children * (LEAVES + 1) + DEPTH + 1


def process_once(root, children):
    """Searches, then a second tree, then moves within it, then both as text."""
    for child in root:
        child.find(".//deepest")
    texts = [leaf.text for leaf in root.iter("leaf") if leaf.text == "LEAF-1-50"]
    found = root.findall("child-1/leaf")
    new = etree.Element("new")
    for child in root:
        copy = etree.SubElement(new, child.tag, child.attrib)
        for leaf in child:
            etree.SubElement(copy, "copy", found="yes").text = leaf.text
        for node in child.iter():
            etree.SubElement(copy, node.tag)
    first, second = etree.Element("first"), etree.Element("second")
    first[:] = [etree.Element("moved") for _ in range(LEAVES)]
    second[:] = first[:]
    del first[:]
    for node in second:
        first.append(node)
    expect(all(a is b for a, b in zip(first.iter("moved"), second.iter("moved"))), "moving made copies")
    return texts, len(found), len(new), len(first), etree.tostring(root), etree.tostring(new)


def process_prepare(size):
    return tree_make(children_of(size)), children_of(size)


def process_work(loops, prepared):
    for _ in range(2 * loops):
        result = process_once(*prepared)
    return result


def process_check(prepared, result):
    root, children = prepared
    texts, found, new, moved, text, new_text = result
    expect_equal((texts, found, new, moved), (["LEAF-1-50"], LEAVES, children + 1, LEAVES), "what was found")
    copies = children * (2 * LEAVES + 1) + 1 + DEPTH + 1
    expect_equal(sum(1 for _ in etree.fromstring(new_text).iter()), 1 + children + 1 + copies, "the new tree")
    expect_equal(text, etree.tostring(tree_make(children)), "the old tree")
    return len(new_text)


def generate_work(loops, children):
    for _ in range(loops):
        texts = [etree.tostring(tree_make(children)) for _ in range(10)]
    return texts


def generate_check(children, texts):
    expect_equal((len(texts), len(set(texts))), (10, 1), "texts, and different ones")
    expect_equal(sum(1 for _ in etree.fromstring(texts[0]).iter()), elements_of(children), "the elements")
    return len(texts[0])


def file_prepare(size):
    children = children_of(size)
    text = etree.tostring(tree_make(children))
    file = tempfile.NamedTemporaryFile(prefix="etree-", suffix=".xml")
    file.write(text)
    file.flush()
    return children, text, file, size.pick(1, 0.1)


def parse_work(loops, prepared):
    _, text, file, share = prepared
    for _ in range(int(30 * share) * loops):
        from_file = etree.parse(file.name).getroot()
        from_bytes = etree.fromstring(text)
    return etree.tostring(from_file), etree.tostring(from_bytes)


def parse_check(prepared, texts):
    expect_equal(texts, (prepared[1], prepared[1]), "the trees")
    return len(texts[0])


def iterparse_work(loops, prepared):
    _, text, file, share = prepared
    for _ in range(int(10 * share) * loops):
        lists = []
        for source in (file.name, io.BytesIO(text)):
            events = []
            for event, element in etree.iterparse(source, ("start", "end")):
                events.append((event, element.tag))
            lists.append(events)
    return lists


def iterparse_check(prepared, lists):
    expect(lists[0] == lists[1], "file and bytes gave different events")
    expect_equal(len(lists[0]), 2 * elements_of(prepared[0]), "the number of events")
    expect_equal([lists[0][0], lists[0][-1]], [("start", "root"), ("end", "root")], "first and last event")
    return len(lists[0])


if __name__ == "__main__":
    main(
        {
            "etree_process": (process_prepare, process_work, process_check),
            "etree_generate": (children_of, generate_work, generate_check),
            "etree_parse": (file_prepare, parse_work, parse_check),
            "etree_iterparse": (file_prepare, iterparse_work, iterparse_check),
        }
    )
