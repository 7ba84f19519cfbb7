# SPDX-License-Identifier: MIT
"""nbody, spectral_norm, pidigits and float: arithmetic on floats, on long ints, and on floats kept in instances."""

import math
from itertools import islice

from program import expect, main

# Sun, Jupiter, Saturn, Uranus, Neptune: place (astronomical units), speed (units a day), mass (suns).
PLANETS = (
    ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0),
    ((4.8414, -1.1603, -0.1036), (0.00166, 0.0077, -0.000069), 0.000954792),
    ((8.3434, 4.1248, -0.4035), (-0.00277, 0.0049985, 0.000023), 0.000285886),
    ((12.8944, -15.1112, -0.2233), (0.002965, 0.002378, -0.0000297), 0.0000436624),
    ((15.3797, -25.9193, 0.1793), (0.002681, 0.001628, -0.000095), 0.0000515139),
)
YEAR = 365.24
SUN = 4 * math.pi * math.pi  # its mass, in units of years


def bodies_make(size):
    bodies = [(list(place), [part * YEAR for part in speed], mass * SUN) for place, speed, mass in PLANETS]
    for axis in range(3):
        bodies[0][1][axis] = -sum(speed[axis] * mass for _, speed, mass in bodies) / SUN
    pairs = [(a, b) for i, a in enumerate(bodies) for b in bodies[i + 1 :]]
    return bodies, pairs, size.pick(20000, 200)


def energy(bodies, pairs):
    total = 0.0
    for ((x1, y1, z1), _, m1), ((x2, y2, z2), _, m2) in pairs:
        total -= m1 * m2 / math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2 + (z1 - z2) ** 2)
    for _, (vx, vy, vz), mass in bodies:
        total += mass * (vx * vx + vy * vy + vz * vz) / 2
    return total


def advance(bodies, pairs, steps, dt=0.01):
    for _ in range(steps):
        for ((x1, y1, z1), v1, m1), ((x2, y2, z2), v2, m2) in pairs:
            dx, dy, dz = x1 - x2, y1 - y2, z1 - z2
            pull = dt * (dx * dx + dy * dy + dz * dz) ** -1.5
            first, second = m1 * pull, m2 * pull
            v1[0] -= dx * second
            v1[1] -= dy * second
            v1[2] -= dz * second
            v2[0] += dx * first
            v2[1] += dy * first
            v2[2] += dz * first
        for place, (vx, vy, vz), _ in bodies:
            place[0] += dt * vx
            place[1] += dt * vy
            place[2] += dt * vz


def nbody_work(loops, prepared):
    bodies, pairs, steps = prepared
    energies = []
    for _ in range(loops):
        energies.append(energy(bodies, pairs))
        advance(bodies, pairs, steps)
        energies.append(energy(bodies, pairs))
    return energies


def nbody_check(prepared, energies):
    """Nothing is lost: the energy stays, and the momentum stays nothing."""
    expect(len(energies) % 2 == 0, "an energy is missing")
    expect(all(math.isclose(value, energies[0], rel_tol=1e-3) for value in energies), "the energy changed")
    momentum = [sum(speed[axis] * mass for _, speed, mass in prepared[0]) for axis in range(3)]
    expect(max(map(abs, momentum)) < 1e-9, "the momentum changed")
    return energies[-1]


def matrix(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def row_times(entry):
    i, vector = entry
    return sum([matrix(i, j) * value for j, value in enumerate(vector)])


def column_times(entry):
    i, vector = entry
    return sum([matrix(j, i) * value for j, value in enumerate(vector)])


def square_times(vector):
    """A transposed times A times the vector."""
    half = [row_times((i, vector)) for i in range(len(vector))]
    return [column_times((i, half)) for i in range(len(vector))]


def spectral_work(loops, n):
    for _ in range(loops):
        vector = [1.0] * n
        for _ in range(10):
            other = square_times(vector)
            vector = square_times(other)
        norm = math.sqrt(sum(u * v for u, v in zip(vector, other)) / sum(v * v for v in other))
    return norm


def spectral_check(n, norm):
    """The norm of the infinite matrix is 1.2742241; a piece of it comes the closer from below the larger it is."""
    expect(1.27422416 - 0.16 / n**2 < norm < 1.27422416, f"the norm came out as {norm!r}")
    return norm


def digits_of_pi():
    """Digits one by one. The state is a matrix of ints that grows with each; a term of the series multiplies it."""
    a, b, c, d = 1, 0, 0, 1
    term = 0
    while True:
        digit = (3 * a + b) // (3 * c + d)
        if term and digit == (4 * a + b) // (4 * c + d):
            yield digit
            a, b = 10 * (a - digit * c), 10 * (b - digit * d)
        else:
            term += 1
            odd = 2 * term + 1
            a, b, c, d = a * term, (2 * a + b) * odd, c * term, (2 * c + d) * odd


def pi_by_arctangents(digits):
    """The same by another way: four times the arctangent of 1, as Machin wrote it in 1706."""
    one = 10 ** (digits + 10)

    def arctangent(inverse):
        power = total = one // inverse
        divisor, square = 1, inverse * inverse
        while power:
            power //= -square
            divisor += 2
            total += power // divisor
        return total

    return str((16 * arctangent(5) - 4 * arctangent(239)) // 10**10)[:digits]


def pi_work(loops, digits):
    for _ in range(loops):
        result = list(islice(digits_of_pi(), digits))
    return result


def pi_check(digits, result):
    text = "".join(map(str, result))
    expect(text == pi_by_arctangents(digits), "the digits are not those of pi")
    return text[-10:]


class Point:
    """With a dict, as in 2016."""

    def __init__(self, i):
        self.x = x = math.sin(i)
        self.y = math.cos(i) * 3
        self.z = (x * x) / 2

    def normalize(self):
        norm = math.sqrt(self.x**2 + self.y**2 + self.z**2)
        self.x /= norm
        self.y /= norm
        self.z /= norm

    def maximize(self, other):
        self.x = max(self.x, other.x)
        self.y = max(self.y, other.y)
        self.z = max(self.z, other.z)
        return self


# As since 2017: the attributes stand in the object.
SlimPoint = type(
    "SlimPoint",
    (),
    {"__slots__": ("x", "y", "z"), **{name: vars(Point)[name] for name in ("__init__", "normalize", "maximize")}},
)


def float_work(loops, prepared):
    kind, count = prepared
    for _ in range(loops):
        points = [kind(i) for i in range(count)]
        for point in points:
            point.normalize()
        most = points[0]
        for point in points[1:]:
            most = most.maximize(point)
    return most


def float_check(prepared, most):
    """Sine, cosine and half a square of the sine have these greatest values once they are of length one."""
    expect(hasattr(most, "__dict__") == (prepared[0] is Point), "the point is of another class")
    expect(
        0.89 < most.x < 0.9 and 0.999 < most.y <= 1 and 0.44 < most.z < 0.45,
        f"the greatest is {most.x, most.y, most.z}",
    )
    return [most.x, most.y, most.z]


if __name__ == "__main__":
    main(
        {
            "nbody": (bodies_make, nbody_work, nbody_check),
            "spectral_norm": (lambda size: size.pick(130, 20), spectral_work, spectral_check),
            "pidigits": (lambda size: size.pick(2000, 100), pi_work, pi_check),
            "float": (
                lambda size: (SlimPoint if size.today else Point, size.pick(100000, 2000)),
                float_work,
                float_check,
            ),
        }
    )
