"""What was used up to the limit and dropped is there again for whoever else of the process needs it."""

import threading


def fill():
    held = []
    try:
        while True:
            held.append(bytearray(100_000))
    except MemoryError:
        return len(held)


for _ in range(3):
    assert fill() > 1_000
    done = []
    thread = threading.Thread(target=done.append, args=(1,))  # its stack is libc's to get
    thread.start()
    thread.join()
    assert done == [1]
    assert len(bytearray(200 << 20)) == 200 << 20
import sqlite3, ssl  # noqa: E401,E402 (shared libraries have to be mapped)

assert sqlite3.connect(":memory:").execute("select 1").fetchone() == (1,)
assert ssl.OPENSSL_VERSION
print("right")
