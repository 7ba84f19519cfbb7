"""A program on Cubby takes hardly more memory than on stock. Counters of the system, no times."""

import statistics

import tap
from preload import PROGRAMS, PreloadTestCase, python

RUNS = 21
MANY_RUNS = 301  # where the bound is near: what the system maps around a page differs by dozens of kilobytes a run


class Memory(PreloadTestCase):
    def setUp(self):
        self.unlessSanitized("every block is larger")

    def measure(self, name, count=RUNS):
        """Medians of (kilobytes, faults), stock and Cubby, from runs in turn: addresses are random in each."""
        runs = {False: [], True: []}
        for _ in range(count):
            for preload, results in runs.items():
                ran = python(PROGRAMS / f"{name}.py", preload=preload)
                self.assertRan(ran)
                results.append([int(word) for word in ran.out.split()])
        stock, cubby = ([statistics.median(column) for column in zip(*results)] for results in runs.values())
        print(f"# {name}: stock {stock[0]:.0f} KB, {stock[1]:.0f} faults; Cubby {cubby[0]:.0f} KB, {cubby[1]:.0f} faults")
        return stock, cubby

    def test_an_interpreter_that_did_nothing_takes_at_most_300_kilobytes_more_than_stock(self):
        stock, cubby = self.measure("after_start", MANY_RUNS)
        self.assertLessEqual(cubby[0], stock[0] + 300)

    def test_a_small_loop_of_ints_peaks_at_most_5_percent_above_stock(self):
        stock, cubby = self.measure("int_loop")
        self.assertLessEqual(cubby[0], stock[0] * 1.05)


if __name__ == "__main__":
    tap.main()
