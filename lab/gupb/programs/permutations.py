# SPDX-License-Identifier: MIT
"""fannkuch and nqueens: permutations, as lists that are copied and turned over, and as tuples that are thrown away."""

from program import expect_equal, main

MOST_FLIPS = {5: 7, 6: 10, 7: 16, 8: 22, 9: 30}
QUEENS = {5: 10, 6: 4, 7: 40, 8: 92}


def flips_of(order):
    """How often the front of a copy is turned over, as far as its first element says, until that is 0."""
    row, flips = list(order), 0
    first = row[0]
    while first:
        row[: first + 1] = row[first::-1]
        flips += 1
        first = row[0]
    return flips


def fannkuch(n):
    order, turns, most, ring = list(range(n)), list(range(1, n + 1)), 0, n
    while True:
        while ring > 1:
            turns[ring - 1] = ring
            ring -= 1
        if order[0] and order[-1] != n - 1:
            most = max(most, flips_of(order))
        while True:
            if ring == n:
                return most
            order.insert(ring, order.pop(0))
            turns[ring] -= 1
            if turns[ring] > 0:
                break
            ring += 1


def orders_of(pool):
    """All orders of the pool, one tuple each; which comes next, a list of indices and one of cycles say."""
    n = len(pool)
    indices, cycles = list(range(n)), list(range(n, 0, -1))
    yield tuple(pool)
    while True:
        for i in reversed(range(n)):
            cycles[i] -= 1
            if cycles[i]:
                j = cycles[i]
                indices[i], indices[-j] = indices[-j], indices[i]
                yield tuple(pool[k] for k in indices)
                break
            indices[i:] = indices[i + 1 :] + indices[i : i + 1]
            cycles[i] = n - i
        else:
            return


def queens(n):
    columns = range(n)
    return [
        rows
        for rows in orders_of(list(columns))
        if n == len({rows[i] + i for i in columns}) == len({rows[i] - i for i in columns})
    ]


def fannkuch_work(loops, n):
    return [fannkuch(n) for _ in range(loops)][-1]


def fannkuch_check(n, most):
    expect_equal(most, MOST_FLIPS[n], "the most flips")
    return most


def queens_work(loops, n):
    for _ in range(loops):
        found = queens(n)
    return found


def queens_check(n, found):
    expect_equal(len(found), QUEENS[n], "the number of boards")
    attacks = sum(abs(rows[i] - rows[j]) == j - i for rows in found for i in range(n) for j in range(i + 1, n))
    expect_equal(attacks, 0, "attacks on a board")
    return len(set(found))


if __name__ == "__main__":
    main(
        {
            "fannkuch": (lambda size: size.pick(9, 6), fannkuch_work, fannkuch_check),
            "nqueens": (lambda size: size.pick(8, 6), queens_work, queens_check),
        }
    )
