"""Runs in each life of an interpreter that its host finalises and initialises again, and hands blocks on to the next.

CPython 3.12 and later put their own tables back for a second life, so there a block meets functions it does not come
from. Only blocks of Cubby's are handed on: 3.12 does not know its own ones again. They are named in the environment,
which outlives the interpreter. There, too, stands where the probe is.
"""

import ctypes
import os
import sys

sys.path.insert(0, os.environ["RESTARTS_PROBE"])
import probe  # noqa: E402

FUNCTIONS = {}
for prefix in ("PyMem_", "PyObject_"):
    for name, arguments in (("Malloc", [ctypes.c_size_t]), ("Realloc", [ctypes.c_void_p, ctypes.c_size_t])):
        function = FUNCTIONS[prefix + name] = getattr(ctypes.pythonapi, prefix + name)
        function.restype, function.argtypes = ctypes.c_void_p, arguments
    FUNCTIONS[prefix + "Free"] = getattr(ctypes.pythonapi, prefix + "Free")
    FUNCTIONS[prefix + "Free"].restype, FUNCTIONS[prefix + "Free"].argtypes = None, [ctypes.c_void_p]
SIZES = (1, 20, 24, 100, 500, 512, 513, 5_000, 40_000, 3_000_000)
held = ctypes.pythonapi.Py_IncRef
dropped = ctypes.pythonapi.Py_DecRef
held.argtypes = dropped.argtypes = [ctypes.py_object]


def content(size, seed):
    return bytes((seed + step) % 256 for step in range(min(size, 200)))


def inherit():
    """Blocks and objects of the life before are read, resized, freed. Gives how many there were."""
    blocks = os.environ.get("RESTARTS_BLOCKS", "").split()
    for number, word in enumerate(blocks):
        prefix, address, size, seed = word.split(",")
        address, size, seed = int(address), int(size), int(seed)
        assert ctypes.string_at(address, min(size, 200)) == content(size, seed), "a block lost its content"
        if number % 3:
            resized = (size * 2, size // 2 + 1)[number % 3 - 1]
            address = FUNCTIONS[prefix + "Realloc"](address, resized)
            kept = content(min(size, resized), seed)
            assert ctypes.string_at(address, len(kept)) == kept, "a resized block lost its content"
        FUNCTIONS[prefix + "Free"](address)
    objects = os.environ.get("RESTARTS_OBJECTS", "").split()
    for word in objects:
        address, size = map(int, word.split(","))
        survivor = ctypes.cast(address, ctypes.py_object).value
        assert survivor == b"x" * size, "an object lost its content"
        dropped(survivor)
    return len(blocks) + len(objects)


def bequeath(life):
    made = []
    for number, size in enumerate(SIZES * 30):
        prefix, seed = ("PyMem_", "PyObject_")[number % 2], number * 7 + life
        made.append((prefix, FUNCTIONS[prefix + "Malloc"](size), size, seed))
    survivors = [b"x" * max(size, 2) for size in SIZES * 5]  # shorter ones are shared
    words = []
    for prefix, address, size, seed in made:
        if probe.is_cubbys(address):
            text = content(size, seed)
            ctypes.memmove(address, text, len(text))
            words.append(f"{prefix},{address},{size},{seed}")
        else:
            FUNCTIONS[prefix + "Free"](address)
    os.environ["RESTARTS_BLOCKS"] = " ".join(words)
    words = []
    for survivor in survivors:
        if probe.is_cubbys(id(survivor)):
            held(survivor)
            words.append(f"{id(survivor)},{len(survivor)}")
    os.environ["RESTARTS_OBJECTS"] = " ".join(words)


life = int(os.environ.get("RESTARTS_LIFE", "0")) + 1
os.environ["RESTARTS_LIFE"] = str(life)
inherited = inherit()
bequeath(life)
items = [(step, str(step), [step] * 3) for step in range(20_000)]
assert all(item == (step, str(step), [step] * 3) for step, item in enumerate(items))
print("life", life, "is right and inherited", inherited, flush=True)
