# SPDX-License-Identifier: MIT
"""The logging family: simple_logging, formatted_logging and silent_logging, into text in memory.

As in 2016 the text grows over the whole process; today it is emptied by the program before each loop.
"""

import io
import logging

from program import expect_equal, main, unrolled

MESSAGE = "The heap has given 128 pages back now."
FORMAT = "The heap has given %s pages back now"


def benchmark(call, line):
    log = unrolled(call, 10, "warning, debug, message, form")

    def prepare(size):
        stream = io.StringIO()
        logger = logging.getLogger("lab")
        logger.propagate = False
        logger.setLevel(logging.WARNING)
        logger.addHandler(logging.StreamHandler(stream))
        return logger, stream, size.pick(1000, 20), size.today

    def work(loops, prepared):
        logger, stream, times, emptied = prepared
        for _ in range(loops):
            if emptied:
                stream.seek(0)
                stream.truncate()
            log(times, logger.warning, logger.debug, MESSAGE, FORMAT)
        return loops, stream.getvalue()

    def check(prepared, result):
        loops, text = result
        lines = 10 * prepared[2] * (1 if prepared[3] else loops) if line else 0
        expect_equal(text.count("\n"), lines, "the number of lines")
        expect_equal(text, line * lines, "the text")
        return lines

    return prepare, work, check


if __name__ == "__main__":
    main(
        {
            "simple_logging": benchmark("warning(message)", MESSAGE + "\n"),
            "formatted_logging": benchmark("warning(form, 64)", FORMAT % 64 + "\n"),
            "silent_logging": benchmark("debug(message)", ""),
        }
    )
