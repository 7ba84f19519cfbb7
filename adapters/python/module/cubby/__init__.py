# SPDX-License-Identifier: MIT
"""Cubby, seen from the Python program that it serves.

    cubby run python3 -c "import cubby; cubby.print_stats()"

active()        which domains Cubby serves here; empty, and so false, where it serves none
stats()         what it holds, as a dictionary
trim()          gives all pages that hold nothing back to the system, now
settings()      its settings: values, defaults, help
check()         looks at its own structures, and at every block where the debug checks are on
print_stats()   stats() as a text

All of them work without Cubby as well, and then tell of nothing. Where each thread has a heap of its own (CPython 3.12
and later, CUBBY_HEAPS=thread) the figures of heaps and classes are the calling thread's.
"""

import ctypes
import os
import resource
import sys

__all__ = ["DamageError", "active", "check", "print_stats", "settings", "stats", "trim"]

DOMAINS = ("raw", "mem", "obj")


class DamageError(RuntimeError):
    """Memory was damaged: args[0] is a list of what was found."""


# ---- The adapter, when it is preloaded ----


class _Stat(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("help", ctypes.c_char_p),
        ("is_bytes", ctypes.c_bool),
        ("value", ctypes.c_size_t),
    ]


class _HeapStats(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "pools",
            "pool_bytes",
            "blocks_used",
            "bytes_used",
            "bytes_free",
            "bytes_lost",
            "large_blocks",
            "large_bytes",
        )
    ]


class _ClassStats(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("block_size", "pools", "pool_size", "blocks_used", "blocks_free", "bytes_lost")
    ]


class _Setting(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("option", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("unit", ctypes.c_char_p),
        ("choices", ctypes.POINTER(ctypes.c_char_p)),
        ("help", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("value", ctypes.c_uint64),
        ("value_default", ctypes.c_uint64),
        ("most", ctypes.c_uint64),
        ("text", ctypes.c_char_p),
        ("text_default", ctypes.c_char_p),
    ]


# The results and arguments of the adapter's functions.
_FUNCTIONS = {
    "served": (ctypes.c_uint, []),
    "has_one_heap": (ctypes.c_bool, []),
    "version": (ctypes.c_char_p, []),
    "trim": (ctypes.c_size_t, []),
    "stats": (ctypes.c_size_t, [ctypes.POINTER(_Stat), ctypes.c_size_t]),
    "heap_stats": (None, [ctypes.POINTER(_HeapStats)]),
    "class_stats": (ctypes.c_bool, [ctypes.c_size_t, ctypes.POINTER(_ClassStats)]),
    "setting": (ctypes.c_bool, [ctypes.c_size_t, ctypes.POINTER(_Setting)]),
    "check_heap": (ctypes.c_bool, []),
    "check_blocks": (ctypes.c_bool, [ctypes.POINTER(ctypes.c_size_t)]),
}


class _Adapter:
    """Its functions as methods. They are called with the interpreter's lock held, as a heap under that lock needs."""

    def __init__(self, library):
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, "cubby_python_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)


def _adapter_find():
    """None where no adapter is preloaded, or one of another version, which has other functions."""
    try:
        return _Adapter(ctypes.PyDLL(None))
    except AttributeError:
        return None


_adapter = _adapter_find()

# What stats() counts, where there is nothing to count.
_STAT_NAMES = (
    "reserved",
    "committed",
    "in_spans",
    "retained",
    "metadata",
    "regions",
    "heaps",
    "bytes_copied",
    "bytes_purged",
    "purges",
    "huge_advised",
    "lock_takes",
    "lock_waits",
    "parcels",
    "page_size",
)


# ---- What there is to know ----


def active():
    """The names of the domains that Cubby serves in this interpreter: of "raw", "mem" and "obj"; () for none."""
    served = _adapter.served() if _adapter else 0
    return tuple(name for bit, name in enumerate(DOMAINS) if served >> bit & 1)


def _stat_rows():
    """(name, help, is_bytes, value) of each figure of the process."""
    if _adapter is None:
        return []
    rows = (_Stat * _adapter.stats(None, 0))()
    _adapter.stats(rows, len(rows))
    return [(row.name.decode(), row.help.decode(), row.is_bytes, row.value) for row in rows]


def _classes():
    """A dictionary for each block size that has pools, in ascending order."""
    found = {}
    row = _ClassStats()
    index = 0
    while _adapter and _adapter.class_stats(index, row):
        index += 1
        if row.pools == 0:
            continue
        size = row.block_size  # two classes may have one size
        entry = found.setdefault(
            size,
            {
                "block_size": size,
                "pools": 0,
                "pool_bytes": 0,
                "blocks_used": 0,
                "blocks_free": 0,
                "bytes_free": 0,
                "bytes_lost": 0,
            },
        )
        entry["pools"] += row.pools
        entry["pool_bytes"] += row.pools * row.pool_size
        entry["blocks_used"] += row.blocks_used
        entry["blocks_free"] += row.blocks_free
        entry["bytes_free"] += row.blocks_free * size
        entry["bytes_lost"] += row.bytes_lost
    return list(found.values())


def stats():
    """What Cubby holds at this moment, in bytes and counts.

    The figures of the process have the names of cubby_stats_t. "heap" is a dictionary of the figures of one heap, and
    "classes" a list with a dictionary for each block size. Without Cubby all figures are 0, and there is no class.
    """
    classes = _classes()
    heap = _HeapStats()
    if _adapter:
        _adapter.heap_stats(heap)
    figures = dict.fromkeys(_STAT_NAMES, 0)
    figures.update((name, value) for name, _, _, value in _stat_rows())
    figures["heap"] = {name: getattr(heap, name) for name, _ in _HeapStats._fields_}
    figures["classes"] = classes
    return figures


def trim():
    """Gives every page that holds nothing back to the system. Returns the bytes given back; 0 without Cubby."""
    return _adapter.trim() if _adapter else 0


def settings():
    """Each setting by its environment name: value, default, unit, kind, choices, option of `cubby run`, help, reason.

    A choice and a file have text as value, others a number. Without Cubby nothing has settings: the result is empty.
    """
    kinds = ("number", "switch", "choice", "file", "report")
    found = {}
    row = _Setting()
    while _adapter and _adapter.setting(len(found), row):
        has_text = row.text is not None
        found[row.name.decode()] = {
            "value": os.fsdecode(row.text) if has_text else row.value,
            "default": os.fsdecode(row.text_default) if has_text else row.value_default,
            "kind": kinds[row.kind] if row.kind < len(kinds) else "unknown",
            "unit": row.unit.decode(),
            "choices": _choices(row.choices),
            "option": "--" + row.option.decode() if row.option else None,
            "help": row.help.decode(),
            "reason": row.reason.decode(),
        }
    return found


def _choices(names):
    """The texts of a list that NULL ends; () for none."""
    found = []
    while names and names[len(found)] is not None:
        found.append(names[len(found)].decode())
    return tuple(found)


def check():
    """Looks for damage, from writes outside of blocks and the like. Returns True, or raises DamageError.

    Without the debug checks only Cubby's own structures can tell; with them every block is looked at.
    """
    if _adapter is None:
        return True
    problems = []
    if not _adapter.check_heap():
        problems.append("the lists of blocks, pools or pages are damaged")
    damaged = ctypes.c_size_t()
    if _adapter.check_blocks(damaged) and damaged.value > 0:
        problems.append("damaged blocks: {} (the report has each)".format(damaged.value))
    if problems:
        raise DamageError(problems)
    return True


# ---- As a text ----


def _heading():
    served = active()
    if not served:
        return "Cubby serves nothing in process {}: the interpreter's own allocators do.".format(os.getpid())
    heaps = "one heap under the interpreter's lock" if _adapter.has_one_heap() else "a heap for each thread"
    return "Cubby {} serves {} of process {} from {}.".format(
        _adapter.version().decode(), " and ".join(served), os.getpid(), heaps
    )


_COLUMNS = "{:>10} {:>8} {:>12} {:>12} {:>15} {:>13} {:>12}"


def _class_lines():
    yield _COLUMNS.format("block size", "pools", "blocks used", "blocks free", "bytes used", "bytes free", "bytes lost")
    classes = _classes()
    for row in classes:
        yield _COLUMNS.format(
            *(
                "{:,}".format(number)
                for number in (
                    row["block_size"],
                    row["pools"],
                    row["blocks_used"],
                    row["blocks_free"],
                    row["blocks_used"] * row["block_size"],
                    row["bytes_free"],
                    row["bytes_lost"],
                )
            )
        )
    used = sum(row["blocks_used"] * row["block_size"] for row in classes)
    totals = [sum(row[key] for row in classes) for key in ("pools", "blocks_used", "blocks_free")]
    rest = [sum(row[key] for row in classes) for key in ("bytes_free", "bytes_lost")]
    yield _COLUMNS.format("all", *("{:,}".format(number) for number in totals + [used] + rest))


def _faults():
    """Page faults of the process, without and with reading from a disk."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_minflt, usage.ru_majflt


def print_stats(file=None):
    """Writes what Cubby holds to a file, sys.stderr unless told otherwise: size by size, then the process."""
    lines = [_heading()]
    if active():
        heap = _HeapStats()
        _adapter.heap_stats(heap)
        whose = "of the heap" if _adapter.has_one_heap() else "of this thread's heap"
        lines += ["", "Blocks up to 32 KiB " + whose, *_class_lines()]
        if _adapter.has_one_heap():
            lines += ["", "Large blocks: {:,}, of {:,} bytes".format(heap.large_blocks, heap.large_bytes)]
        lines += ["", "The process"]
        lines += [
            "{:>14} {:>20,} {:<5}  {}".format(name, value, "bytes" if is_bytes else "", text)
            for name, text, is_bytes, value in _stat_rows()
        ]
        lines += ["{:>14} {:>20,}        without, and {:,} with reading from a disk".format("page faults", *_faults())]
    print(*lines, sep="\n", file=sys.stderr if file is None else file)
