"""How many megabytes a program can hold under the limit it is under: in `many` blocks, or in `one` that grows."""

import sys

MEGABYTE = 1 << 20
held, one = [], bytearray()
chunk = bytes(MEGABYTE - 100)
try:
    while True:
        if sys.argv[1] == "many":
            held.append(bytearray(MEGABYTE - 100))
        else:
            one += chunk
except MemoryError:
    count = len(held) or len(one) // len(chunk)
del held, one
print(count)
