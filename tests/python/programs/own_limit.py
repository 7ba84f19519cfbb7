"""A program that limits its own address space works on, and is refused what is beyond."""

import resource
import threading

resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
import sqlite3, ssl  # noqa: E401,E402 (shared libraries have to be mapped)

assert sqlite3.connect(":memory:").execute("select 1").fetchone() == (1,)
assert ssl.OPENSSL_VERSION
done = []
thread = threading.Thread(target=done.append, args=(1,))
thread.start()
thread.join()
assert done == [1]
assert len(bytearray(100 << 20)) == 100 << 20
try:
    bytearray(10**10)
except MemoryError:
    print("right")
