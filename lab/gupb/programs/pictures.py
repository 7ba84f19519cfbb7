# SPDX-License-Identifier: MIT
"""raytrace and chaos: pictures from small vectors, each operation of which makes a new instance with three floats."""

import math
import random

from program import expect, expect_equal, main


class Vector:
    def __init__(self, x, y, z=0.0):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def scale(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other):
        return Vector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def length(self):
        return math.sqrt(self.dot(self))

    def unit(self):
        return self.scale(1.0 / self.length())

    def mirror(self, normal):
        return self - normal.scale(2 * self.dot(normal))


class Ray:
    def __init__(self, start, way):
        self.start = start
        self.way = way.unit()

    def at(self, distance):
        return self.start + self.way.scale(distance)


class Sphere:
    def __init__(self, centre, radius, colour):
        self.centre = centre
        self.radius = radius
        self.colour = colour

    def meet(self, ray):
        to_centre = self.centre - ray.start
        along = to_centre.dot(ray.way)
        rest = self.radius**2 - (to_centre.dot(to_centre) - along * along)
        return along - math.sqrt(rest) if rest > 0 else None

    def normal_at(self, point):
        return (point - self.centre).unit()

    def colour_at(self, point):
        return self.colour


class Floor:
    """The half-space below 0, in black and white squares."""

    def meet(self, ray):
        return -ray.start.y / ray.way.y if ray.way.y < 0 else None

    def normal_at(self, point):
        return Vector(0.0, 1.0, 0.0)

    def colour_at(self, point):
        return (1.0, 1.0, 1.0) if (math.floor(point.x) + math.floor(point.z)) % 2 else (0.0, 0.0, 0.0)


NOTHING = (0.0, 0.0, 0.0)
MIRRORED, DIFFUSE, AMBIENT, DEPTH = 0.2, 0.6, 0.2, 3


class Scene:
    def __init__(self):
        self.camera = Vector(0.0, 1.8, 10.0)
        self.target = Vector(0.0, 3.0, 0.0)
        self.lights = [Vector(30.0, 30.0, 10.0), Vector(-10.0, 100.0, 30.0)]
        self.things = [Sphere(Vector(1.0, 3.0, -10.0), 2.0, (1.0, 1.0, 0.0))]
        for y in range(6):
            self.things.append(Sphere(Vector(-3.0 - y * 0.4, 2.3, -5.0), 0.4, (y / 6.0, 1 - y / 6.0, 0.5)))
        self.things.append(Floor())

    def first_met(self, ray):
        best = None
        for thing in self.things:
            distance = thing.meet(ray)
            if distance is not None and distance > 1e-7 and (best is None or distance < best[0]):
                best = distance, thing
        return best

    def light_at(self, point, normal):
        """How much of the lights' light falls on a point; what stands between takes it away."""
        total = 0.0
        for light in self.lights:
            way = (light - point).unit()
            if self.first_met(Ray(point, way)) is None:
                total += max(0.0, way.dot(normal))
        return min(1.0, total)

    def colour_of(self, ray, depth):
        if depth > DEPTH:
            return NOTHING
        met = self.first_met(ray)
        if met is None:
            return NOTHING
        point = ray.at(met[0])
        normal = met[1].normal_at(point)
        mirrored = self.colour_of(Ray(point, ray.way.mirror(normal)), depth + 1)
        share = AMBIENT + DIFFUSE * self.light_at(point, normal)
        return tuple(own * share + other * MIRRORED for own, other in zip(met[1].colour_at(point), mirrored))

    def render(self, side):
        """Rays through the pixels, from the upper left on; three bytes each."""
        image = bytearray(3 * side * side)
        half = math.tan(math.radians(45) / 2)
        ahead = (self.target - self.camera).unit()
        right = ahead.cross(Vector(0.0, 1.0, 0.0)).unit()
        up = right.cross(ahead).unit()
        for y in range(side):
            for x in range(side):
                across = right.scale((2 * x / (side - 1) - 1) * half)
                upwards = up.scale((1 - 2 * y / (side - 1)) * half)
                colour = self.colour_of(Ray(self.camera, ahead + across + upwards), 0)
                place = 3 * (y * side + x)
                image[place : place + 3] = bytes(min(255, int(part * 255)) for part in colour)
        return image


def raytrace_work(loops, side):
    for _ in range(loops):
        image = Scene().render(side)
    return image


def raytrace_check(side, image):
    """Sky above, squares below, and the yellow sphere, which has no blue but what it mirrors, right of the middle."""
    expect_equal(len(image), 3 * side * side, "the size of the picture")
    expect(not any(image[: 3 * side]), "the sky is not black")
    expect(len(set(image[-3 * side :])) > 2, "the floor has no squares")
    pixels = [tuple(image[i : i + 3]) for i in range(0, len(image), 3)]
    yellow = [i % side for i, (red, green, blue) in enumerate(pixels) if red == green > blue + 40]
    expect(len(yellow) > side * side / 60 and min(yellow) > side * 0.4, "the yellow sphere is not there")
    return sum(image)


class Spline:
    """A cubic B-spline through a plane; the first and last knots are there four times."""

    def __init__(self, points):
        self.points = points
        inner = len(points) - 3
        self.knots = [0] * 4 + list(range(1, inner)) + [inner] * 4

    def at(self, place):
        """De Boor: between four points, then three, then two."""
        knots, segment = self.knots, 3
        while segment < len(self.points) - 1 and knots[segment + 1] <= place:
            segment += 1
        row = [self.points[segment - 3 + i] for i in range(4)]
        for level in range(1, 4):
            for i in range(3, level - 1, -1):
                low, high = knots[segment - 3 + i], knots[segment + 1 + i - level]
                share = (place - low) / (high - low)
                row[i] = row[i - 1].scale(1 - share) + row[i].scale(share)
        return row[3]

    def length(self):
        steps = [self.at(i / 100 * self.knots[-1]) for i in range(101)]
        return sum((b - a).length() for a, b in zip(steps, steps[1:]))


CURVES = (
    ((1.6, 0.3), (2.8, 0.4), (3.1, 1.9), (2.1, 2.4), (1.2, 1.7), (0.9, 1.1), (0.4, 0.9)),
    ((2.8, 2.1), (2.5, 1.6), (1.9, 2.0), (1.4, 2.4)),
    ((0.8, 2.3), (1.2, 2.9), (2.2, 3.1), (2.9, 2.7)),
)
THICKNESS = 0.25


class Game:
    """The chaos game: a point is sent to a place along a random curve, as far beside it as it was from the edge."""

    def __init__(self, generator):
        self.generator = generator
        self.curves = [Spline([Vector(x, y) for x, y in points]) for points in CURVES]
        lengths = [curve.length() for curve in self.curves]
        self.chances = [sum(lengths[: i + 1]) / sum(lengths) for i in range(len(lengths))]
        corners = [point for curve in self.curves for point in curve.points]
        self.low = Vector(min(p.x for p in corners) - THICKNESS, min(p.y for p in corners) - THICKNESS)
        self.high = Vector(max(p.x for p in corners) + THICKNESS, max(p.y for p in corners) + THICKNESS)

    def step(self, point):
        chance = self.generator.random()
        number = next((i for i, most in enumerate(self.chances) if chance < most), len(self.chances) - 1)
        curve = self.curves[number]
        spread = self.high - self.low
        along = (point.x - self.low.x) / spread.x * curve.knots[-1]
        beside = (point.y - self.low.y) / spread.y - 0.5
        place, nearby = curve.at(along), curve.at(min(along + 1e-4, curve.knots[-1]) if along < 0.5 else along - 1e-4)
        slope = (nearby - place).unit()
        moved = place + Vector(-slope.y, slope.x).scale(beside * THICKNESS)
        return Vector(min(max(moved.x, self.low.x), self.high.x), min(max(moved.y, self.low.y), self.high.y))

    def draw(self, width, height, count):
        image = [[1] * height for _ in range(width)]
        point = (self.low + self.high).scale(0.5)
        spread = self.high - self.low
        for _ in range(count):
            point = self.step(point)
            x = min(int((point.x - self.low.x) / spread.x * width), width - 1)
            y = min(int((point.y - self.low.y) / spread.y * height), height - 1)
            image[x][y] = 0
        return image


def chaos_prepare(size):
    width, height = size.pick((1000, 1200), (40, 40), today=(256, 256))
    return width, height, size.pick(5000, 500)


def chaos_work(loops, prepared):
    for _ in range(loops):
        image = Game(random.Random(1234)).draw(*prepared)
    return image


def chaos_check(prepared, image):
    """Every point lies within the picture and near a curve, and they are as many as such a figure has cells."""
    width, height, count = prepared
    expect_equal((len(image), {len(column) for column in image}), (width, {height}), "the size of the picture")
    dark = [(x, y) for x in range(width) for y in range(height) if not image[x][y]]
    expect(count / 20 < len(dark) <= count, f"{len(dark)} dark cells of {count} points")
    game = Game(random.Random(0))
    spread = game.high - game.low
    path = [curve.at(i / 400 * curve.knots[-1]) for curve in game.curves for i in range(401)]
    for x, y in dark[:: max(1, len(dark) // 50)]:
        cell = game.low + Vector((x + 0.5) / width * spread.x, (y + 0.5) / height * spread.y)
        expect(min((cell - point).length() for point in path) < THICKNESS, "a point lies far from every curve")
    return len(dark)


if __name__ == "__main__":
    main(
        {
            "raytrace": (lambda size: size.pick(100, 20), raytrace_work, raytrace_check),
            "chaos": (chaos_prepare, chaos_work, chaos_check),
        }
    )
