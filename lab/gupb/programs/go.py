# SPDX-License-Identifier: MIT
"""go: one move of a computer player on an empty board of 9 by 9, chosen after 200 games that are played at random.

The games grow a tree by the rule "win rate plus a bonus for what was seldom tried". Boards are told apart by hashes of
63 bits, so that no board comes twice (ko).
"""

import math
import random

from program import expect, main

SIDE = 9
POINTS = SIDE * SIDE
KOMI = 7.5
EMPTY, BLACK, WHITE = 0, 1, 2
PASS = -1
MOVES_MOST = 3 * POINTS


def neighbours_of(point):
    x, y = point % SIDE, point // SIDE
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return [a + b * SIDE for a, b in near if 0 <= a < SIDE and 0 <= b < SIDE]


NEAR = [neighbours_of(point) for point in range(POINTS)]
HASHES = [[random.Random(point * 3 + colour).getrandbits(63) for colour in range(3)] for point in range(POINTS)]


class Board:
    def __init__(self):
        self.stones = [EMPTY] * POINTS
        self.colour = BLACK
        self.hash = 0
        self.seen = {0}
        self.passes = 0
        self.moves = 0
        self.history = []

    def group_of(self, start, stones):
        """The stones that hang together with this one, and whether a free point touches them."""
        colour, group, waiting = stones[start], {start}, [start]
        free = False
        while waiting:
            for near in NEAR[waiting.pop()]:
                if stones[near] == EMPTY:
                    free = True
                elif stones[near] == colour and near not in group:
                    group.add(near)
                    waiting.append(near)
        return group, free

    def after(self, point):
        """Stones and hash after a move, or None when it kills itself or makes an earlier board again."""
        stones = self.stones[:]
        stones[point] = self.colour
        number = self.hash ^ HASHES[point][self.colour]
        other = BLACK + WHITE - self.colour
        for near in NEAR[point]:
            if stones[near] == other:
                group, free = self.group_of(near, stones)
                if not free:
                    for taken in group:
                        stones[taken] = EMPTY
                        number ^= HASHES[taken][other]
        if not self.group_of(point, stones)[1] or number in self.seen:
            return None
        return stones, number

    def is_own_eye(self, point):
        return all(self.stones[near] == self.colour for near in NEAR[point])

    def play(self, point):
        """Makes a move that is allowed. False, and nothing is done, when it is not."""
        if point != PASS:
            changed = self.after(point)
            if changed is None:
                return False
            self.stones, self.hash = changed
            self.seen.add(self.hash)
        self.passes = self.passes + 1 if point == PASS else 0
        self.colour = BLACK + WHITE - self.colour
        self.moves += 1
        self.history.append(point)
        return True

    def play_random(self, generator):
        free = [point for point in range(POINTS) if self.stones[point] == EMPTY]
        generator.shuffle(free)
        for point in free:
            if not self.is_own_eye(point) and self.play(point):
                return
        self.play(PASS)

    def is_over(self):
        return self.passes >= 2 or self.moves >= MOVES_MOST

    def winner(self):
        black = white = 0
        for point in range(POINTS):
            owners = {self.stones[point]} if self.stones[point] else {self.stones[near] for near in NEAR[point]}
            black += owners == {BLACK}
            white += owners == {WHITE}
        return BLACK if black > white + KOMI else WHITE


class Node:
    def __init__(self):
        self.children = [None] * POINTS
        self.wins = self.games = 0
        self.untried = None

    def best(self):
        """The point of the child that promises most."""
        bonus = math.log(self.games)
        return max(
            (point for point, child in enumerate(self.children) if child is not None),
            key=lambda point: self.children[point].wins / self.children[point].games
            + math.sqrt(bonus / (5 * self.children[point].games)),
        )


def playout(root, generator):
    board, node, path = Board(), root, [root]
    while not board.is_over():
        if node.untried is None:
            node.untried = [point for point in range(POINTS) if board.stones[point] == EMPTY]
            generator.shuffle(node.untried)
        if node.untried:
            point = node.untried.pop()
            if board.is_own_eye(point) or not board.play(point):
                continue
            node.children[point] = Node()
            path.append(node.children[point])
            break
        if not any(node.children):
            break
        point = node.best()
        if not board.play(point):  # the way there was another one
            break
        node = node.children[point]
        path.append(node)
    while not board.is_over():
        board.play_random(generator)
    winner = board.winner()
    for depth, visited in enumerate(path):
        visited.games += 1
        visited.wins += (winner == BLACK) == (depth % 2 == 1)


def work(loops, games):
    for _ in range(loops):
        generator, root = random.Random(1), Node()
        for _ in range(games):
            playout(root, generator)
        tried = [(child.games, point) for point, child in enumerate(root.children) if child is not None]
        move = max(tried)[1]
    return root, move


def check(games, result):
    """All games are in the tree: below the root as many as in it, or one of a node's own less."""
    root, move = result
    expect(root.games == games, f"{root.games} games, not {games}")
    waiting = [root]
    while waiting:
        node = waiting.pop()
        children = [child for child in node.children if child is not None]
        below = sum(child.games for child in children)
        expect(0 <= node.wins <= node.games and 0 <= node.games - below <= max(1, node is root), "the tree is wrong")
        waiting += children
    expect(root.children[move].games == max(child.games for child in root.children if child), "not the best move")
    return move


if __name__ == "__main__":
    main({"go": (lambda size: size.pick(200, 5), work, check)})
