# SPDX-License-Identifier: MIT
"""meteor_contest: ten pieces of five cells each on a board of hexagons, five wide and ten high; the first 60 solutions.

The search always fills the lowest free cell. Cells are numbered row by row; odd rows stand half a cell to the right.
The pieces are ours, ten different ones; so the solutions are checked by what a solution is.
"""

import bisect

from program import expect, expect_equal, main

WIDTH, HEIGHT = 5, 10
CELLS = WIDTH * HEIGHT

# Steps from the first cell on: east, the other five ways by their compass points; a letter may lead back.
PIECES = (
    "E SE E SW",
    "E SW SE W",
    "E E SW SW",
    "E SE SE W",
    "E E E E",
    "E E E SE",
    "E SE W SW",
    "E E SE SW",
    "E E SE SE",
    "E SE E SE",
)


def place_of(cell):
    """Cube coordinates of a cell: a turn by 60 degrees and a mirror are exchanges of these."""
    row, column = divmod(cell, WIDTH)
    x = column - (row - (row & 1)) // 2
    return x, row


def cell_of(place):
    """The cell, or None beside the board."""
    x, row = place
    column = x + (row - (row & 1)) // 2
    return row * WIDTH + column if 0 <= row < HEIGHT and 0 <= column < WIDTH else None


STEPS = {"E": (1, 0), "NE": (1, -1), "NW": (0, -1), "W": (-1, 0), "SW": (-1, 1), "SE": (0, 1)}


def shape_of(steps):
    x = row = 0
    shape = {(0, 0)}
    for step in steps.split():
        x, row = x + STEPS[step][0], row + STEPS[step][1]
        shape.add((x, row))
    return frozenset(shape)


def turned(shape):
    return frozenset((-row, x + row) for x, row in shape)


def mirrored(shape):
    return frozenset((x + row, -row) for x, row in shape)


def forms_of(shape):
    forms = set()
    for form in (shape, mirrored(shape)):
        for _ in range(6):
            form = turned(form)
            corner = min(form, key=lambda place: (place[1], place[0]))
            forms.add(frozenset((x - corner[0], row - corner[1]) for x, row in form))
    return forms


def prepare(size):
    """For each cell and piece the sets of cells that the piece can take, of which the cell is the lowest one."""
    fits = [[[] for _ in PIECES] for _ in range(CELLS)]
    for number, steps in enumerate(PIECES):
        for form in sorted(map(sorted, forms_of(shape_of(steps)))):
            for cell in range(CELLS):
                x, row = place_of(cell)
                taken = [cell_of((x + dx, row + dy)) for dx, dy in form]
                if None not in taken:
                    fits[min(taken)][number].append(frozenset(taken))
    near = []
    for cell in range(CELLS):
        x, row = place_of(cell)
        ways = (cell_of((x + STEPS[way][0], row + STEPS[way][1])) for way in ("E", "SW", "SE"))
        near.append(frozenset(other for other in ways if other is not None))
    return fits, near, size.pick(60, 2)


class Enough(Exception):
    """All solutions that are wanted are there."""


def search(fits, near, board, free, pieces, wanted, solutions):
    lowest = min(free)
    for piece in pieces:
        for taken in fits[lowest][piece]:
            if not taken <= free:
                continue
            grown = board[:]
            for cell in taken:
                grown[cell] = piece
            left = free - taken
            if not left:
                text = "".join(map(str, grown))
                bisect.insort(solutions, text)
                bisect.insort(solutions, text[::-1])
                if len(solutions) >= wanted:
                    raise Enough
            elif near[min(left)] & left:  # else nothing fits there
                others = pieces[:]
                others.remove(piece)
                search(fits, near, grown, left, others, wanted, solutions)


def work(loops, prepared):
    fits, near, wanted = prepared
    for _ in range(loops):
        solutions = []
        try:
            search(fits, near, [-1] * CELLS, frozenset(range(CELLS)), list(range(len(PIECES))), wanted, solutions)
        except Enough:
            continue
    return solutions


def check(prepared, solutions):
    """In each solution each piece takes five cells that make one of its forms."""
    fits = prepared[0]
    expect_equal(len(solutions), prepared[2], "the number of solutions")
    expect_equal(sorted(set(solutions)), solutions, "different solutions in order")
    for text in solutions:
        expect_equal(len(text), CELLS, "the cells of a solution")
        for piece in range(len(PIECES)):
            taken = frozenset(cell for cell in range(CELLS) if text[cell] == str(piece))
            expect(taken and taken in fits[min(taken)][piece], f"piece {piece} lies wrong in {text}")
    return solutions[0]


if __name__ == "__main__":
    main({"meteor_contest": (prepare, work, check)})
