# SPDX-License-Identifier: MIT
"""tornado_http, html5lib and html5lib_warmup: a web server with its clients, and a parser of web pages.

The page to be parsed is ours, as long as the piece of a specification that 2016 parsed, and with the same kinds of
faults that browsers forgive. html5lib is measured with its import, in a process of its own each time, html5lib_warmup
in one process.
"""

import importlib.util
import random
import subprocess
import sys

from program import expect, expect_equal, main, need

CHUNKS, CHUNK = 5, b"x" * 12000
PAGE_BYTES = 133837


def tornado_prepare(size):
    if importlib.util.find_spec("tornado") is None:
        need("python3-tornado")
    return size.pick(150, 10)


def tornado_work(loops, requests):
    from tornado.httpclient import AsyncHTTPClient
    from tornado.ioloop import IOLoop
    from tornado.netutil import bind_sockets
    from tornado.web import Application, RequestHandler
    from tornado.httpserver import HTTPServer

    class Chunks(RequestHandler):
        async def get(self):
            for _ in range(CHUNKS):
                self.write(CHUNK)
                await self.flush()

        def compute_etag(self):
            return None

    async def fetch_all(url):
        client = AsyncHTTPClient()
        waiting = [client.fetch(url) for _ in range(requests)]
        return [(await answer).body for answer in waiting]

    loop = IOLoop.current()
    sockets = bind_sockets(0, "127.0.0.1")
    server = HTTPServer(Application([("/", Chunks)], log_function=lambda handler: None))
    server.add_sockets(sockets)
    url = "http://127.0.0.1:%d/" % sockets[0].getsockname()[1]
    for _ in range(loops):
        bodies = loop.run_sync(lambda: fetch_all(url))
    server.stop()
    loop.run_sync(server.close_all_connections)
    return bodies


def tornado_check(requests, bodies):
    expect_equal(len(bodies), requests, "the number of answers")
    expect(all(body == CHUNK * CHUNKS for body in bodies), "an answer is another")
    return sum(map(len, bodies))


def page_make(size):
    """Headings, paragraphs, lists, tables, links; some end tags are left out. And how many there are of each."""
    generator, parts, count = random.Random(5), ["<!DOCTYPE html><title>Spans &amp; pools</title>\n"], 0
    counts = {"h2": 0, "p": 0, "li": 0, "td": 0, "a": 0, "code": 0}
    words = "a block of memory is given to whoever asks for it and taken back when it is no longer used".split()
    while count < size.pick(PAGE_BYTES, 8000):
        number = counts["h2"] = counts["h2"] + 1
        text = " ".join(generator.choice(words) for _ in range(60))
        section = [
            f'<h2 id=section-{number}>{number} &mdash; {text[:30]}</h2>\n<p class="first">{text} '
            f'<a href="#section-{number}">here</a>, or <code>heap&lt;{number}></code>\n<p>{text[:200]}\n<ul>'
        ]
        items = generator.randrange(3, 8)
        section += [f"<li>{text[i * 20 : i * 20 + 60]}" for i in range(items)]
        section.append(f"</ul>\n<table><tr><td>{number}<td>{items}<tr><td>sum<td>{number + items}</table>\n")
        for name, more in (("p", 2), ("li", items), ("td", 4), ("a", 1), ("code", 1)):
            counts[name] += more
        parts.append("".join(section))
        count += len(parts[-1])
    return "".join(parts), counts


PARSE = """import sys
import html5lib
tree = html5lib.parse(sys.stdin.read())
for name in sys.argv[1:]:
    print(sum(1 for _ in tree.iter('{http://www.w3.org/1999/xhtml}' + name)))
"""


def html_prepare(size):
    try:
        import html5lib
    except ImportError:
        need("python3-html5lib")
    text, counts = page_make(size)
    return text, counts, html5lib.parse


def html_work(loops, prepared):
    text, counts, _ = prepared
    for _ in range(loops):
        command = [sys.executable, "-c", PARSE, *counts]
        said = subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
    return [int(number) for number in said.split()]


def warm_work(loops, prepared):
    text, counts, parse = prepared
    for _ in range(loops):
        tree = parse(text)
    return [sum(1 for _ in tree.iter("{http://www.w3.org/1999/xhtml}" + name)) for name in counts]


def html_check(prepared, numbers):
    expect_equal(numbers, list(prepared[1].values()), f"the numbers of {', '.join(prepared[1])}")
    return numbers


if __name__ == "__main__":
    main(
        {
            "tornado_http": (tornado_prepare, tornado_work, tornado_check),
            "html5lib": (html_prepare, html_work, html_check),
            "html5lib_warmup": (html_prepare, warm_work, html_check),
        }
    )
