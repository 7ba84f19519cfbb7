# SPDX-License-Identifier: MIT
"""telco: the bill for 5,000 telephone calls, in decimal arithmetic. The durations are drawn, many short and few long.

In 2016 calls were read from a file and the bill was written to one; today both are in memory.
"""

import io
import random
import struct
import tempfile
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal, getcontext

from program import expect, main

RATES = (Decimal("0.0013"), Decimal("0.00894"))
TAX, FAR_TAX = Decimal("0.0675"), Decimal("0.0341")
CENT = Decimal("0.01")


def prepare(size):
    generator = random.Random(2016)
    count = size.pick(5000, 100)
    calls = b"".join(struct.pack(">Q", int(generator.expovariate(1 / 200)) + 1) for _ in range(count))
    if size.today:
        return count, calls, lambda: io.BytesIO(calls), io.StringIO
    file = tempfile.NamedTemporaryFile(prefix="telco-")
    file.write(calls)
    file.flush()
    bill = tempfile.NamedTemporaryFile(prefix="telco-")
    prepare.files = file, bill  # they stay as long as the program
    return count, calls, lambda: open(file.name, "rb"), lambda: open(bill.name, "w+", encoding="ascii")


def bill_write(count, calls, bill):
    total = tax_total = far_total = Decimal(0)
    for _ in range(count):
        (duration,) = struct.unpack(">Q", calls.read(8))
        far = duration & 1
        price = (RATES[far] * duration).quantize(CENT, ROUND_HALF_EVEN)
        tax = (price * TAX).quantize(CENT, ROUND_DOWN)
        tax_total += tax
        sum_of_call = price + tax
        if far:
            far_tax = (price * FAR_TAX).quantize(CENT, ROUND_DOWN)
            far_total += far_tax
            sum_of_call += far_tax
        total += sum_of_call
        print(sum_of_call, file=bill)
    return total, tax_total, far_total


def work(loops, prepared):
    count, _, calls_open, bill_open = prepared
    getcontext().prec = 34
    for _ in range(loops):
        with calls_open() as calls, bill_open() as bill:
            sums = bill_write(count, calls, bill)
            bill.seek(0)
            last = bill.read().splitlines()
    return sums, last


def check(prepared, result):
    """The same bill in hundredths of a cent and whole cents, as ints."""
    count, calls, *_ = prepared
    (total, *taxes), lines = result
    cents = []
    for (duration,) in struct.iter_unpack(">Q", calls):
        exact, unit = (duration * 894, 1000) if duration & 1 else (duration * 13, 100)
        price, rest = divmod(exact, unit)
        price += rest * 2 > unit or (rest * 2 == unit and price & 1)
        cents.append(price + price * 675 // 10000 + (price * 341 // 10000 if duration & 1 else 0))
    expect([int(Decimal(line) * 100) for line in lines] == cents and len(cents) == count, "a call has another price")
    expect(int(total * 100) == sum(cents) and 0 < taxes[1] < taxes[0] < total, "the sums are others")
    return str(total)


if __name__ == "__main__":
    main({"telco": (prepare, work, check)})
