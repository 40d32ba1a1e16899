"""Exact solutions: random sums of waves, polynomials, exponentials, bumps and fronts, as formulas of the problem's language."""

import math

from draw import rounded, signed, text

FUNCTIONS = {name: getattr(math, name) for name in ("sin", "cos", "tanh", "exp", "sqrt", "cosh", "pi", "log")}
POINTS = 600


class Exact:
    """A formula with what is known of it: the size, the steepest slopes, the half-waves, the pieces it is made of."""

    def __init__(self, formula, axes, half_waves, pieces):
        self.formula, self.axes, self.half_waves, self.pieces = formula, axes, half_waves, pieces

    def values(self, shift=None, step=0.0):
        function = compiled(self.formula)
        for place in places(self.axes):
            if shift is not None:
                place[shift.name] += step
            yield function(place)

    def largest(self):
        return max(map(abs, self.values()))

    def steepest(self, axis):
        """The largest slope along an axis, by differences."""
        step = 1e-4 * axis.length
        pairs = zip(self.values(), self.values(axis, step))
        return max(abs(after - before) for before, after in pairs) / step


def compiled(formula):
    code = compile(formula.replace("^", "**"), "formula", "eval")
    return lambda place: eval(code, {"__builtins__": {}}, {**FUNCTIONS, **place})


def places(axes):
    """Points spread evenly over a box, the same every time (multiples of irrational numbers)."""
    steps = (math.sqrt(2), math.sqrt(3), math.sqrt(5), math.sqrt(7))
    for number in range(POINTS):
        yield {axis.name: axis.low + axis.length * (number * step % 1) for axis, step in zip(axes, steps)}


def angle(axis, count):
    """This many half-waves across the range."""
    return f"pi*{axis.unit}" if count == 1 else f"{text(count)}*pi*{axis.unit}"


def power(formula, exponent):
    whole = formula.isalpha() or (formula.startswith("(") and formula.endswith(")"))
    return f"{formula}^{exponent}" if whole else f"({formula})^{exponent}"


def wave(draw, axis, count):
    if draw.chance(0.4):
        return f"{draw.pick(('sin', 'cos'))}({angle(axis, count)})"
    return f"sin({angle(axis, count)} + {text(draw.uniform(0.1, 3, 2))})"


def polynomial(draw, axis, _):
    s = axis.unit
    first, second = draw.uniform(-2, 2, 2), draw.uniform(-3, 3, 2)
    cubic = f" {signed(draw.uniform(-4, 4, 2))}*{power(s, 3)}" if draw.chance(0.5) else ""
    return f"(1 {signed(first)}*{s} {signed(second)}*{power(s, 2)}{cubic})"


def exponential(draw, axis, _):
    rate = draw.uniform(0.5, 3, 2) * (1 if draw.chance(0.3) else -1)
    return f"exp({text(rate)}*{axis.unit})"


def bump(draw, axis, count):
    return f"exp(-(({axis.unit} - {text(draw.uniform(0.2, 0.8, 2))})/{text(width(draw, count))})^2)"


def front(draw, axis, count):
    return f"tanh(({axis.unit} - {text(draw.uniform(0.2, 0.8, 2))})/{text(width(draw, count))})"


def width(draw, count):
    """About as wide as a half-wave of a wave with this many, at the most half of the range."""
    return rounded(draw.uniform(0.5, 1) * 0.8 / max(count, 1.6), 2)


def ripple(draw, axis, count):
    """Periodic across the range."""
    turns = angle(axis, count)
    if count <= 6 and draw.chance(0.25):
        return f"exp({draw.pick(('sin', 'cos'))}({turns}))"
    if draw.chance(0.4):
        return f"{draw.pick(('sin', 'cos'))}({turns})"
    return f"sin({turns} + {text(draw.uniform(0.1, 3, 2))})"


SHAPES = {"wave": wave, "polynomial": polynomial, "exponential": exponential, "bump": bump, "front": front}
WEIGHTS = {"wave": 5, "polynomial": 1.5, "exponential": 1.2, "bump": 1.2, "front": 1.1}


class Piece:
    """A formula, what it is made of, and the most half-waves it has along a coordinate."""

    def __init__(self, formula, kinds, half_waves):
        self.formula, self.kinds, self.half_waves = formula, kinds, half_waves


def factor(draw, axis, count, kinds=WEIGHTS):
    """A function of one coordinate."""
    if axis.periodic:
        even = 2 * max(1, round(count / 2))
        return Piece(ripple(draw, axis, even), ["wave"], even)
    kind = draw.weighted(kinds)
    return Piece(SHAPES[kind](draw, axis, count), [kind], 1 if kind in ("polynomial", "exponential") else count)


def product(draw, axes, counts):
    """A function of each coordinate, multiplied."""
    factors = [factor(draw, axis, count) for axis, count in zip(axes, counts)]
    kinds = [kind for piece in factors for kind in piece.kinds]
    return Piece("*".join(piece.formula for piece in factors), kinds, max(piece.half_waves for piece in factors))


def joint(draw, axes, counts):
    """A function of a sum of the coordinates: an oblique or running wave, bump or front; or a round bump."""
    kind = draw.weighted({"wave": 3, "bump": 1, "front": 1, "round": 1})
    if kind == "wave":
        turns = " + ".join(angle(axis, count) for axis, count in zip(axes, counts))
        return Piece(f"sin({turns} {signed(draw.uniform(-1.5, 1.5, 2))})", ["running wave"], max(counts))
    wide = text(width(draw, max(counts)))
    if kind == "round":
        squares = " + ".join(f"({axis.unit} - {text(draw.uniform(0.3, 0.7, 2))})^2" for axis in axes)
        return Piece(f"exp(-({squares})/{wide}^2)", ["round bump"], max(counts))
    first, *others = axes
    line = "".join(f" {signed(draw.uniform(-0.8, 0.8, 2))}*{axis.unit}" for axis in others)
    inside = f"({first.unit}{line} - {text(draw.uniform(0.2, 0.8, 2))})/{wide}"
    return Piece(f"exp(-({inside})^2)" if kind == "bump" else f"tanh({inside})", [f"running {kind}"], max(counts))


def piece(draw, axes, most):
    """One coordinate has the most half-waves, the others five at the most."""
    counts = [min(most, draw.half_waves(), 5) for _ in axes]
    counts[draw.pick(range(len(axes)))] = most
    is_joint = len(axes) > 1 and not any(axis.periodic for axis in axes) and draw.chance(0.35)
    return (joint if is_joint else product)(draw, axes, counts)


def mixture(draw, axes, size, positive=False):
    """One to three pieces added up, scaled so that the largest value is near `size`."""
    most = draw.half_waves()
    found = [piece(draw, axes, most)]
    for _ in range(draw.pick((0, 0, 1, 1, 2))):
        found.append(piece(draw, axes, min(most, draw.half_waves())))
    weights = [1] + [draw.log(0.1, 0.8, 2) * draw.pick((-1, 1)) for _ in found[1:]]
    summands = [(weight, each.formula) for weight, each in zip(weights, found)]
    if positive or draw.chance(0.15):
        summands.append((draw.uniform(1.3, 2, 2) * len(found) if positive else draw.uniform(-1, 1, 2), ""))
    kinds, half_waves = [kind for each in found for kind in each.kinds], max(each.half_waves for each in found)
    largest = Exact(summed(summands), axes, half_waves, kinds).largest() or 1
    amplitude = size * draw.uniform(0.7, 1.4, 2) / largest
    scaled = [(rounded(weight * amplitude, 3), formula) for weight, formula in summands]
    return Exact(summed(scaled), axes, half_waves, kinds)


def summed(summands):
    """`0.5*sin(x) - 0.2*exp(t)`"""
    written = ""
    for weight, formula in summands:
        number = signed(weight) if written else text(weight)
        written += (" " if written else "") + number + (f"*{formula}" if formula else "")
    return written.replace(" 1*", " ").removeprefix("1*")
