# SPDX-License-Identifier: MIT
"""pathlib: 2,000 small files in a folder are listed, matched and asked for their state."""

import os
import pathlib
import shutil
import tempfile

from program import expect, expect_equal, main

SUFFIXES = (".py", ".txt", ".tar.gz", "")


def prepare(size):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="pathlib-", dir=memory))
    count = size.pick(2000, 80)
    try:
        for number in range(count):
            (folder / f"file{number:04}{SUFFIXES[number % 4]}").write_bytes(b"ninebytes")
        expect(all(path.stat().st_size == 9 for path in [pathlib.Path(path) for path in folder.iterdir()]), "no files")
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder, count


def work(loops, prepared):
    folder, _ = prepared
    try:
        for _ in range(loops):
            total = 0
            for _ in range(2):
                for path in folder.iterdir():
                    total += path.stat().st_size
                for path in folder.glob("*.py"):
                    total += path.stat().st_size
    finally:
        shutil.rmtree(folder)
    return total


def check(prepared, total):
    expect_equal(total, 2 * 9 * (prepared[1] + prepared[1] // 4), "bytes in the files")
    return total


if __name__ == "__main__":
    main({"pathlib": (prepare, work, check)})
