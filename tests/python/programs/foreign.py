"""cffi: C functions that call back into Python, memory of ffi.new and what runs when it is dropped, buffers."""

import gc
import os
import sys
import threading

import cffi

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import probe  # noqa: E402

ffi = cffi.FFI()
ffi.cdef("""
typedef struct item { int number; double weight; struct item *next; char name[24]; } item_t;
void qsort(void *start, size_t count, size_t size, int (*compare)(const void *, const void *));
char *strdup(const char *text);
void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
""")
libc = ffi.dlopen(None)
asked = [0]


@ffi.callback("int(const void *, const void *)")
def compare(left, right):
    """Allocates: C may be in the middle of anything that does not allocate itself."""
    asked[0] += 1
    pair = [str(ffi.cast("int *", side)[0]).rjust(12) for side in (left, right)]
    return -1 if pair[0] < pair[1] else int(pair[0] > pair[1])


def check_callbacks():
    numbers = ffi.new("int[]", [(step * 7919) % 10_007 for step in range(3_000)])
    libc.qsort(numbers, 3_000, ffi.sizeof("int"), compare)
    assert list(numbers) == sorted((step * 7919) % 10_007 for step in range(3_000)) and asked[0] > 3_000
    # Each has a closure of its own, made and dropped.
    sums = [ffi.callback("int(int)", lambda x, step=step: x + step) for step in range(500)]
    assert [sums[step](step) for step in range(500)] == [2 * step for step in range(500)]

    @ffi.callback("int(void)", error=-7, onerror=lambda *what: asked.append(what[0]))
    def fails():
        raise KeyError("asked for")

    assert fails() == -7 and asked.pop() is KeyError


def check_chains():
    first, alive = ffi.NULL, []
    for step in range(3_000):
        item = ffi.new("item_t *", {"number": step, "weight": step / 3, "next": first, "name": b"item %d" % step})
        alive.append(item)
        first = item
    gc.collect()
    count, item = 0, first
    while item:
        assert item.number == 2_999 - count and item.weight == item.number / 3
        assert ffi.string(item.name) == b"item %d" % item.number
        item, count = item.next, count + 1
    assert count == 3_000
    handles = [ffi.new_handle([step]) for step in range(1_000)]
    assert all(ffi.from_handle(handle) == [step] for step, handle in enumerate(handles))


def check_finalisers():
    dropped = []
    for step in range(2_000):
        size = 100 + step
        block = ffi.gc(libc.malloc(size), lambda old, step=step: (dropped.append(step), libc.free(old)), size)
        ffi.memmove(block, b"x" * size, size)
        assert ffi.buffer(block, size)[size - 1] == b"x"
    del block
    gc.collect()
    assert dropped == list(range(2_000))
    block = ffi.gc(libc.malloc(10), libc.free)
    ffi.release(block)
    text = libc.strdup(b"libc's own")
    text = ffi.cast("char *", libc.realloc(text, 100_000))
    assert ffi.string(text) == b"libc's own"
    libc.free(text)
    new = ffi.new_allocator(libc.malloc, libc.free, should_clear_after_alloc=False)
    blocks = [new("double[]", [number / 2 for number in range(50)]) for _ in range(200)]
    assert all(sum(block) == sum(number / 2 for number in range(50)) for block in blocks)


def check_buffers():
    for size in (0, 1, 16, 511, 512, 513, 5_000, 70_000, 3_000_000):
        block = ffi.new("unsigned char[]", size)
        view = memoryview(ffi.buffer(block)) if size else b""
        assert bytes(view) == bytes(size)
        source = bytearray(range(256)) * (size // 256 + 1)
        ffi.memmove(block, source, size)
        assert bytes(ffi.buffer(block, size)) == source[:size]
        assert ffi.from_buffer("unsigned char[]", source)[0] == 0


def all_of_it(done):
    check_callbacks()
    check_chains()
    check_finalisers()
    check_buffers()
    done.append(1)


assert probe.is_as_asked()
done = []
all_of_it(done)
thread = threading.Thread(target=lambda: [all_of_it(done) for _ in range(2)])
thread.start()
thread.join()
assert len(done) == 3
print("right")
