"""Random choices, sizes and numbers as text.

Everything is made from random.random() alone, whose sequence for a given seed is the same in every version of Python.
"""

import math
import random


class Draw:
    """The random choices of one problem."""

    def __init__(self, seed):
        self.source = random.Random(seed)

    def chance(self, probability):
        return self.source.random() < probability

    def pick(self, items):
        return items[int(self.source.random() * len(items))]

    def weighted(self, weights):
        """A key of `weights`, by its weight."""
        left = self.source.random() * sum(weights.values())
        for name, weight in weights.items():
            left -= weight
            if left < 0:
                return name
        return name

    def uniform(self, low, high, digits=3):
        return rounded(low + (high - low) * self.source.random(), digits)

    def log(self, low, high, digits=3):
        """Uniform in the logarithm."""
        return rounded(low * (high / low) ** self.source.random(), digits)

    def half_waves(self):
        """Half-waves across a range, from 1 to 20: half of them below 2.2, an eighth above 10."""
        count = 20 ** (self.source.random() ** 2)
        return max(1, round(count)) if self.chance(0.6) else rounded(count, 2)


class Sizes:
    """How large fields, lengths, times and equations are.

    Two thirds of the problems have all sizes of order one. The others have at least one between 1e-3 and 1e3, as units give it.
    """

    NAMES = ("field", "length", "time", "coefficient")

    def __init__(self, draw):
        self.field, self.coefficient = 1, 1
        self.length = draw.pick((1, 1, 1, 2, 0.5, 3, 5))
        self.time = draw.pick((1, 1, 1, 2, 0.5, 4))
        self.scaled = []
        if draw.chance(1 / 3):
            self.scale(draw)

    def scale(self, draw):
        first = draw.pick(self.NAMES)
        for name in self.NAMES:
            if name == first or draw.chance(0.3):
                setattr(self, name, draw.log(1e-3, 1e3, 2))
                self.scaled.append(name)


class Axis:
    """A coordinate and its range."""

    def __init__(self, name, low, length, periodic=False):
        self.name, self.low, self.length, self.periodic = name, low, length, periodic

    @property
    def high(self):
        return rounded(self.low + self.length, 12)

    @property
    def unit(self):
        """The formula that goes from 0 to 1 across the range."""
        shifted = self.name if self.low == 0 else f"({self.name} {signed(-self.low)})"
        return shifted if self.length == 1 else f"{shifted}/{text(self.length)}"

    def faces(self):
        return [f"{self.name} = {text(self.low)}", f"{self.name} = {text(self.high)}"]


def space(draw, sizes, count, periodic=()):
    """This many axes of space; the first begins at 0 or is centred there, all are about as long."""
    axes = []
    for name in "xyz"[:count]:
        length = rounded(sizes.length * (1 if not axes else draw.pick((1, 1, 1, 0.5, 2))), 6)
        low = -length / 2 if draw.chance(0.25) else 0
        axes.append(Axis(name, rounded(low, 6), length, name in periodic))
    return axes


def time(sizes):
    return Axis("t", 0, sizes.time)


def rounded(number, digits):
    return float(f"{number:.{digits - 1}e}") if number else 0.0


def text(number):
    """The shortest usual way to write a number: 0.25, 300, 1e-5."""
    written = f"{number:.12g}"
    if "e" in written:
        digits, power = written.split("e")
        written = f"{digits}e{int(power)}"
    return written


def signed(number):
    """A number as a further summand: `+ 0.3`, `- 0.3`."""
    return f"{'-' if number < 0 else '+'} {text(abs(number))}"


def clamp(number, low, high):
    return min(max(number, low), high)


def nearest(number, step):
    return int(math.ceil(number / step) * step)
