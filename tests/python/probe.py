"""Prints who serves each domain of the interpreter that runs this: `raw=stock mem=cubby obj=cubby`.

A domain is Cubby's when a block that it gives out is; libc's when only the functions of its table are Cubby's; otherwise
the interpreter's own.
"""

import ctypes
import os
import sys


class Allocator(ctypes.Structure):
    """PyMemAllocatorEx."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]


class Mapping:
    def __init__(self, line):
        fields = line.split(None, 5)
        self.start, self.end = (int(end, 16) for end in fields[0].split("-"))
        self.name = fields[5].strip() if len(fields) > 5 else ""

    def holds(self, address):
        return self.start <= address < self.end


def read_mappings():
    with open("/proc/self/maps") as maps:
        return [Mapping(line) for line in maps]


# The interpreter's own debug checks put so many bytes in front of a block, and the collector in front of an object.
HEADS = (0, 16)

# The adapter's own answer. What the address map looks like is not enough: an arena that the interpreter gets right below
# Cubby's region is one mapping with its beginning.
OWNS = getattr(ctypes.pythonapi, "cubby_python_owns", None)
if OWNS is not None:
    OWNS.restype = ctypes.c_bool
    OWNS.argtypes = [ctypes.c_void_p]


def is_cubbys(address):
    """True when a block of Cubby's begins there, or before the head."""
    return OWNS is not None and any(OWNS(address - head) for head in HEADS)


def mapping_name(address):
    return next((mapping.name for mapping in read_mappings() if mapping.holds(address)), "")


def table(domain):
    found = Allocator()
    ctypes.pythonapi.PyMem_GetAllocator(domain, ctypes.byref(found))
    return found


def function(prefix, name):
    """One of PyMem_RawMalloc, PyMem_Malloc, PyObject_Malloc and family, called with the interpreter's lock held."""
    found = getattr(ctypes.pythonapi, prefix + name)
    found.restype = ctypes.c_void_p if name != "Free" else None
    found.argtypes = {
        "Malloc": [ctypes.c_size_t],
        "Calloc": [ctypes.c_size_t, ctypes.c_size_t],
        "Realloc": [ctypes.c_void_p, ctypes.c_size_t],
        "Free": [ctypes.c_void_p],
    }[name]
    return found


PREFIXES = ("PyMem_Raw", "PyMem_", "PyObject_")


def server(domain):
    malloc, free = function(PREFIXES[domain], "Malloc"), function(PREFIXES[domain], "Free")
    blocks = [malloc(size) for size in (1, 100, 500, 5000, 20000)]
    inside = [is_cubbys(block) for block in blocks]
    for block in blocks:
        free(block)
    if all(inside):
        return "cubby"
    if any(inside):
        return "mixed"
    return "libc" if "libcubby-python" in mapping_name(table(domain).malloc) else "stock"


def is_as_asked():
    """True when mem and obj are Cubby's in a program that preloads it, and the interpreter's own in any other."""
    expected = "cubby" if "libcubby-python" in os.environ.get("LD_PRELOAD", "") else "stock"
    return server(1) == server(2) == expected


def main():
    print(*(f"{name}={server(domain)}" for domain, name in enumerate(("raw", "mem", "obj"))))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
