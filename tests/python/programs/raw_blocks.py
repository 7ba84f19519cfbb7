"""Small raw blocks lie in libc's heap, and libc's own functions know them."""

import ctypes
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

block = probe.function("PyMem_Raw", "Malloc")(100)
assert probe.mapping_name(block) == "[heap]", probe.mapping_name(block)
libc = ctypes.CDLL(None)
libc.malloc_usable_size.argtypes = [ctypes.c_void_p]
libc.malloc_usable_size.restype = ctypes.c_size_t
libc.free.argtypes = [ctypes.c_void_p]
assert libc.malloc_usable_size(block) >= 100
libc.free(block)
print("right")
