# SPDX-License-Identifier: MIT
"""hexiom2: a puzzle on a board of hexagons. A tile with number k wants exactly k tiles around it; empty cells are free.

Each cell keeps a list of what it may still be. Rules strike values out; where that ends, the first open cell is tried,
greatest value first and empty last, each time on a copy of all lists. 2016 solved a board of side 4 (37 cells), today
it is one of side 3 (19 cells). The boards are ours, and the larger takes far fewer branches than that of 2016: a fixed
seed places tiles, of which only the numbers, and the places of some, are given to the solver.
"""

import io
import random

from program import expect_equal, main

EMPTY = 7  # a value beside the numbers 0 to 6


class Board:
    def __init__(self, side):
        reach = range(1 - side, side)
        self.side = side
        self.places = [(x, y) for y in reach for x in reach if abs(x + y) < side]
        index = {place: i for i, place in enumerate(self.places)}
        steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
        self.near = [[index[x + dx, y + dy] for dx, dy in steps if (x + dx, y + dy) in index] for x, y in self.places]

    def numbers_of(self, filled):
        return [sum(filled[other] for other in self.near[i]) if filled[i] else EMPTY for i in range(len(filled))]


def puzzle_make(side, tiles, fixed, seed):
    """A board, how many of each number there are, and the cells that are given."""
    board, generator = Board(side), random.Random(seed)
    cells = len(board.places)
    chosen = set(generator.sample(range(cells), tiles))
    numbers = board.numbers_of([i in chosen for i in range(cells)])
    counts = [numbers.count(value) for value in range(EMPTY + 1)]
    given = {i: numbers[i] for i in sorted(generator.sample(range(cells), fixed))}
    return board, counts, given


def neighbourhood_strike(board, lists, i):
    """Strikes numbers that the cell cannot have with what its neighbours may be. None when nothing is left of it."""
    sure = sum(EMPTY not in lists[other] for other in board.near[i])
    possible = sum(lists[other] != [EMPTY] for other in board.near[i])
    kept = [value for value in lists[i] if value == EMPTY or sure <= value <= possible]
    if len(kept) < len(lists[i]):
        lists[i] = kept
        return bool(kept) or None
    return False


def neighbours_strike(board, lists, i):
    """A cell whose number is known and reached, or just reachable, says what its open neighbours are."""
    number = lists[i][0]
    sure = sum(EMPTY not in lists[other] for other in board.near[i])
    possible = sum(lists[other] != [EMPTY] for other in board.near[i])
    if sure == possible or number not in (sure, possible):
        return False
    for other in board.near[i]:
        if EMPTY in lists[other] and lists[other] != [EMPTY]:
            lists[other] = [EMPTY] if number == sure else [value for value in lists[other] if value != EMPTY]
    return True


def counts_strike(counts, lists):
    """Values that are used up are struck elsewhere; values with just enough cells take them. None: it cannot be."""
    changed = False
    for value, count in enumerate(counts):
        holders = [i for i, values in enumerate(lists) if value in values]
        settled = [i for i in holders if len(lists[i]) == 1]
        if len(holders) < count or len(settled) > count:
            return None
        if len(settled) == count < len(holders):
            for i in holders:
                if len(lists[i]) > 1:
                    lists[i] = [other for other in lists[i] if other != value]
            changed = True
        elif len(holders) == count > len(settled):
            for i in holders:
                lists[i] = [value]
            changed = True
    return changed


def rules_apply(board, counts, lists):
    """Until nothing changes. False when the board cannot be solved from here."""
    while True:
        changed = False
        for i in range(len(lists)):
            struck = neighbourhood_strike(board, lists, i)
            if struck is None:
                return False
            changed = changed or struck
            if len(lists[i]) == 1 and lists[i][0] != EMPTY:
                changed = neighbours_strike(board, lists, i) or changed
        struck = counts_strike(counts, lists)
        if struck is None or not all(lists):
            return False
        if not (changed or struck):
            return True


def solve(board, counts, lists):
    if not rules_apply(board, counts, lists):
        return None
    open_cell = next((i for i, values in enumerate(lists) if len(values) > 1), None)
    if open_cell is None:
        return [values[0] for values in lists]
    for value in sorted(lists[open_cell], key=lambda value: -1 if value == EMPTY else value, reverse=True):
        clone = [values[:] for values in lists]
        clone[open_cell] = [value]
        solution = solve(board, counts, clone)
        if solution is not None:
            return solution
    return None


def board_print(board, solution, file):
    for row in range(1 - board.side, board.side):
        cells = [i for i, (_, y) in enumerate(board.places) if y == row]
        print(
            " " * (2 * board.side - 1 - len(cells)) + " ".join(".0123456"[(solution[i] + 1) % 8] for i in cells),
            file=file,
        )


def prepare(size):
    return puzzle_make(*size.pick((4, 24, 0, 6), (3, 10, 0, 7), today=(3, 10, 0, 7)))


def work(loops, prepared):
    board, counts, given = prepared
    for _ in range(loops):
        lists = [[given[i]] if i in given else list(range(EMPTY + 1)) for i in range(len(board.places))]
        text = io.StringIO()
        solution = solve(board, counts, lists)
        board_print(board, solution, text)
    return solution, text.getvalue()


def check(prepared, result):
    """Each tile has as many around it as it says; all tiles are there; those that were given lie where they were."""
    board, counts, given = prepared
    solution, text = result
    expect_equal(board.numbers_of([value != EMPTY for value in solution]), solution, "the board")
    expect_equal([solution.count(value) for value in range(EMPTY + 1)], counts, "the tiles")
    expect_equal({i: solution[i] for i in given}, given, "the given cells")
    shown = [EMPTY if mark == "." else int(mark) for mark in text.split()]
    expect_equal(shown, solution, "the printed board")
    return "".join(text.split())


if __name__ == "__main__":
    main({"hexiom2": (prepare, work, check)})
