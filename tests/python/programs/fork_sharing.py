"""How many KiB of what its parent has a child of a fork comes to own by working: the least of four children."""

import array
import gc
import json
import os
import sys
import time

CHILDREN, SECONDS = 4, float(sys.argv[1]) if len(sys.argv) > 1 else 1.5
PAGE, PRESENT, EXCLUSIVE = os.sysconf("SC_PAGESIZE"), 1 << 63, 1 << 56  # bits of /proc/self/pagemap


def built():
    """About 100 MiB of objects of many sizes, with gaps between them."""
    made = [(str(i), [i, i + 1], float(i)) for i in range(400_000)]
    return [item for i, item in enumerate(made) if i % 4]


def work():
    """Ordinary small work that does not look at what the parent built."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        json.loads(json.dumps([{"key": i, "text": "x" * i} for i in range(200)]))


def pages():
    """What the kernel says of each writable page of this process: {first address of a mapping: entries}."""
    found = {}
    with open("/proc/self/maps", encoding="ascii") as maps, open("/proc/self/pagemap", "rb", 0) as pagemap:
        for line in maps:
            ends, rights = line.split()[:2]
            start, end = (int(text, 16) for text in ends.split("-"))
            if rights == "rw-p":
                pagemap.seek(start // PAGE * 8)
                found[start] = array.array("Q", pagemap.read((end - start) // PAGE * 8))
    return found


def unshared(before):
    """Pages that were the parent's, too, and are this process's own now."""
    count = 0
    for start, now in pages().items():
        for old, new in zip(before.get(start, ()), now):
            count += bool(old & PRESENT) and not old & EXCLUSIVE and bool(new & EXCLUSIVE)
    return count


data = built()
gc.collect()
gc.freeze()
gc.disable()
readers = []
for _ in range(CHILDREN):
    reader, writer = os.pipe()
    if os.fork() == 0:
        before = pages()
        work()
        os.write(writer, str(unshared(before) * PAGE // 1024).encode())
        os._exit(0)
    os.close(writer)
    readers.append(reader)
print(min(int(os.read(reader, 100)) for reader in readers))
