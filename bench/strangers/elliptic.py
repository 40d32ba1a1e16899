"""Elliptic equations in boxes of two and three dimensions."""

import math

from conditions import periodic_axes, walls
from draw import Sizes, rounded, signed, space, text
from exact import Exact, mixture
from problem import Problem

EQUATIONS = {"poisson": 2, "screened": 1.5, "helmholtz": 1.5, "transport": 2, "variable": 2, "anisotropic": 1, "cubic": 1}
TITLES = {
    "poisson": "Poisson equation", "laplace": "Laplace equation", "screened": "Screened Poisson equation",
    "helmholtz": "Helmholtz equation", "transport": "Convection, diffusion and reaction",
    "variable": "Diffusion with a variable coefficient", "anisotropic": "Diffusion that is faster along one axis", "cubic": "Diffusion with a cubic sink",
}
# These have a term without derivatives that is never negative, so that fluxes alone leave no constant open.
ANCHORED = ("screened", "transport")


def conductivity(draw, axes):
    """A coefficient that stays positive: ripples, an exponential, or a smooth step to another material."""
    first, second = axes[0].unit, axes[-1].unit
    kind = draw.pick(("ripples", "exponential", "step"))
    if kind == "ripples":
        waves = [draw.pick((1, 2, 3, 4)) for _ in range(2)]
        return f"1 + {text(draw.uniform(0.3, 0.9, 2))}*sin({waves[0]}*pi*{first})*cos({waves[1]}*pi*{second})"
    if kind == "exponential":
        return f"exp({text(draw.uniform(-1.5, 1.5, 2))}*{first})"
    return f"1 + {text(draw.log(0.5, 10, 2))}*(1 + tanh(({first} - 0.5)/{text(draw.uniform(0.1, 0.3, 2))}))/2"


def operator(problem, draw, kind, square=None):
    """The left side of the equation. Coefficients go with the length that waves or the box have."""
    L = min(axis.length for axis in problem.space)
    inverse = math.pi / L * (problem.half_waves if draw.chance(0.5) else 1)
    problem.balance(draw, inverse**-2)
    if kind == "variable":
        problem.define["k"] = conductivity(draw, problem.space)
        return [problem.times("a", 1, "div(k*grad(u))", "-")]
    if kind == "anisotropic":
        names = [axis.name for axis in problem.space]
        return [problem.times(f"a{name}", draw.log(0.1, 10) if name != "x" else 1, f"u_{name * 2}", "-") for name in names]
    left = [problem.times("a", 1, "laplacian(u)", "-")]
    if kind == "screened":
        left.append(problem.times("q", draw.log(0.1, 10) * inverse**2, "u"))
    if kind == "cubic":
        left.append(problem.times("q", draw.log(0.1, 10) * inverse**2 / problem.sizes.field**2, "u^3"))
    if kind == "helmholtz":
        left.append(problem.times("k2", square, "u", "-"))
    if kind == "transport":
        for axis in problem.space:
            left.append(problem.times(f"b{axis.name}", draw.log(0.1, 10) * inverse, f"u_{axis.name}", draw.pick("+-")))
        left.append(problem.times("q", draw.log(0.1, 10) * inverse**2, "u"))
    return left


def off_resonance(draw, axes):
    """A square of the wave number that is well between the eigenvalues of the box with fixed walls."""
    squares = [[(math.pi * number / axis.length) ** 2 for number in range(1, 25)] for axis in axes]
    values = [0]
    for column in squares:
        values = [value + square for value in values for square in column]
    gap = 0.15 * min(column[0] for column in squares)
    while True:
        number = rounded((math.pi / min(axis.length for axis in axes) * draw.log(0.5, 8)) ** 2, 3)
        if min(abs(number - value) for value in values) > gap:
            return number


def harmonic(draw, axes, size):
    """A function whose Laplacian is zero: it grows across the box by exp(3 pi) at the most, or exp(6 pi) where that is long."""
    number = min(draw.half_waves(), 3)
    length = axes[0].length
    x, y = (f"({axis.name} {signed(-axis.low)})" if axis.low else axis.name for axis in axes)
    rate = text(rounded(number * math.pi / length, 4))
    formula = f"sin({rate}*{x} + {text(draw.uniform(0, 3, 2))})*exp(-{rate}*{y})"
    if draw.chance(0.4):
        formula += f" + {text(draw.uniform(0.2, 1, 2))}*({x}^2 - {y}^2)/{text(rounded(length**2, 6))}"
    whole = Exact(formula, axes, number, ["wave", "exponential"])
    return Exact(f"{text(rounded(size / whole.largest(), 3))}*({formula})", axes, number, whole.pieces)


def elliptic(draw):
    kind = draw.weighted(EQUATIONS)
    sizes = Sizes(draw)
    count = 3 if draw.chance(0.2) else 2
    periodic = [] if kind == "helmholtz" else periodic_axes(draw, "xyz"[:count])
    axes = space(draw, sizes, count, periodic)
    if kind == "poisson" and count == 2 and not periodic and draw.chance(0.4):
        return laplace(draw, sizes, axes)
    problem = Problem(TITLES[kind], sizes, axes)
    problem.solve_for("u", mixture(draw, axes, sizes.field))
    if kind == "variable" and periodic:
        kind, problem.title = "poisson", TITLES["poisson"]
    problem.equations(operator(problem, draw, kind, off_resonance(draw, axes) if kind == "helmholtz" else None))
    # Resonances are known for fixed walls; with convection, fluxes at the inflow are not safe.
    fixed = {"helmholtz": {"dirichlet": 1}, "transport": {"dirichlet": 3, "robin": 1}}.get(kind)
    walls(problem, draw, kind in ANCHORED, fixed)
    return problem


def laplace(draw, sizes, axes):
    problem = Problem(TITLES["laplace"], sizes, axes)
    problem.solve_for("u", harmonic(draw, axes, sizes.field))
    problem.free = True
    problem.equations([problem.times("a", 1, "laplacian(u)")])
    walls(problem, draw)
    return problem
