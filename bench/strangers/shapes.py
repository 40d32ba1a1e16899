"""Elliptic equations on disks, ellipses, polygons, rings and plates with holes."""

import math

from conditions import wall
from draw import Axis, Sizes, rounded, text
from elliptic import TITLES, harmonic, operator
from exact import mixture
from problem import Problem

EQUATIONS = {"poisson": 2, "laplace": 1, "screened": 1.5, "helmholtz": 1, "transport": 1.5, "variable": 1.5, "cubic": 1}
# Corners of rooms in a square from -1 to 1, in order.
ROOMS = {
    "L-shape": [(-1, -1), (0, -1), (0, 0), (1, 0), (1, 1), (-1, 1)],
    "triangle": [(-1, -1), (1, -1), (-0.2, 1)],
    "trapezium": [(-1, -1), (1, -1), (0.5, 1), (-0.7, 1)],
    "hexagon": [(1, 0), (0.5, 0.866), (-0.5, 0.866), (-1, 0), (-0.5, -0.866), (0.5, -0.866)],
    "cross": [(-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4), (1, 0.4), (0.4, 0.4), (0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4),
              (-1, -0.4), (-0.4, -0.4)],
}


def pair(numbers):
    return "[" + ", ".join(text(rounded(number, 4)) for number in numbers) + "]"


def disk(center, radius):
    return f"{{ disk = {{ center = {pair(center)}, radius = {text(rounded(radius, 4))} }} }}"


def round_shape(draw, half):
    return "disk", {"plate": disk((0, 0), half)}, "plate"


def ellipse(draw, half):
    radii, angle = (half, half * draw.uniform(0.4, 0.8, 2)), draw.uniform(0, 1.5, 2)
    return "ellipse", {"plate": f"{{ ellipse = {{ center = [0, 0], radii = {pair(radii)}, angle = {text(angle)} }} }}"}, "plate"


def room(draw, half):
    name = draw.pick(sorted(ROOMS))
    corners = ", ".join(pair((x * half, y * half)) for x, y in ROOMS[name])
    return name, {"plate": f"{{ polygon = [{corners}] }}"}, "plate"


def ring(draw, half):
    inner = half * draw.uniform(0.2, 0.7, 2)
    return "ring", {"plate": disk((0, 0), half), "hole": disk((0, 0), inner)}, "plate - hole"


def perforated(draw, half):
    """A square with one to three holes that do not touch."""
    shapes = {"plate": f"{{ box = {{ x = {pair((-half, half))}, y = {pair((-half, half))} }} }}"}
    centers = [(-0.45, -0.4), (0.45, 0.35), (0.4, -0.5)][: draw.pick((1, 1, 2, 3))]
    for number, (x, y) in enumerate(centers, 1):
        shapes[f"hole{number}"] = disk((x * half, y * half), half * draw.uniform(0.12, 0.32, 2))
    return "plate with holes", shapes, " - ".join(shapes)


REGIONS = (round_shape, ellipse, room, ring, perforated)


def below_resonance(draw, length):
    """Below the first eigenvalue of the square around the shape, and so below that of the shape with fixed walls."""
    return rounded(2 * (math.pi / length) ** 2 * draw.uniform(0.1, 0.8, 2), 3)


def shapes(draw):
    kind, sizes = draw.weighted(EQUATIONS), Sizes(draw)
    half = rounded(sizes.length / 2, 4)
    axes = [Axis(name, -half, 2 * half) for name in "xy"]
    region, found, inside = draw.pick(REGIONS)(draw, half)
    problem = Problem(f"{TITLES[kind]} on a {region}".replace("a ellipse", "an ellipse").replace("a L-", "an L-"), sizes, axes)
    problem.shapes, problem.inside = found, inside
    problem.free = kind == "laplace"
    problem.solve_for("u", (harmonic if problem.free else mixture)(draw, axes, sizes.field))
    square = below_resonance(draw, 2 * half) if kind == "helmholtz" else None
    problem.equations(operator(problem, draw, "poisson" if problem.free else kind, square))
    rims(problem, draw, kind)
    return problem


def rims(problem, draw, kind):
    """One condition on the rim of every shape; on at least one the level is fixed."""
    fixed_only = kind == "helmholtz"
    kinds = {"dirichlet": 1} if fixed_only else {"dirichlet": 5, "robin": 1.5, "neumann": 0 if kind == "transport" else 2.5}
    names = list(problem.shapes)
    chosen = [draw.weighted(kinds) for _ in names]
    if set(chosen) == {"neumann"}:
        chosen[0] = "dirichlet"
    for name, each in zip(names, chosen):
        wall(problem, draw, each, name, name=f"rim_{name}" if len(names) > 1 else "rim")
