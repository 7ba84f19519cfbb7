"""Prints who serves each domain of the interpreter that runs this: `raw=stock mem=cubby obj=cubby`.

A domain is Cubby's when a block that it gives out lies in Cubby's region; libc's when only the functions of its table
are Cubby's; otherwise the interpreter's own.
"""

import ctypes
import os
import sys

# More than the C library reserves for a thread, 64 MiB; less than Cubby, but where the system gives little.
LARGE = 100 << 20


class Allocator(ctypes.Structure):
    """PyMemAllocatorEx."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("ctx", "malloc", "calloc", "realloc", "free")]


class Mapping:
    def __init__(self, line):
        fields = line.split(None, 5)
        self.start, self.end = (int(end, 16) for end in fields[0].split("-"))
        self.access = fields[1]
        self.name = fields[5].strip() if len(fields) > 5 else ""

    def holds(self, address):
        return self.start <= address < self.end


def read_mappings():
    with open("/proc/self/maps") as maps:
        return [Mapping(line) for line in maps]


def is_in_region(address, mappings=None):
    """True when the memory at address is anonymous and the rest of a large reservation, not yet usable, follows it."""
    mappings = mappings or read_mappings()
    index = next((i for i, mapping in enumerate(mappings) if mapping.holds(address)), None)
    if index is None:
        return False
    # The region's pages in use may be several mappings: some are advised to be huge pages.
    while mappings[index].access.startswith("rw") and mappings[index].name == "":
        follower = mappings[index + 1]
        if follower.start != mappings[index].end:
            return False
        if follower.access.startswith("---"):
            return follower.end - follower.start > LARGE
        index += 1
    return False


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
    mappings = read_mappings()
    inside = [is_in_region(block, mappings) for block in blocks]
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
