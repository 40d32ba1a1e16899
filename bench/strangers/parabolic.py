"""Heat, diffusion with reactions, Burgers-like equations, in one and two dimensions of space."""

import math

from conditions import initial, periodic_axes, walls
from draw import Sizes, rounded, space, text, time
from elliptic import conductivity
from exact import Exact, angle, mixture
from problem import Problem

EQUATIONS = {"heat": 2.5, "decay": 1, "transport": 1.5, "fisher": 1, "allen_cahn": 1, "burgers": 2, "variable": 1.5, "porous": 1}
TITLES = {
    "heat": "Heat equation", "decay": "Diffusion and decay", "transport": "Convection and diffusion", "fisher": "Fisher-KPP equation",
    "allen_cahn": "Allen-Cahn equation", "burgers": "Viscous Burgers equation", "variable": "Heat in a material that varies",
    "porous": "Diffusion that grows with the density",
}


def reach(problem, draw):
    """The length that coefficients go with: that of the box, or that of the waves."""
    length = min(axis.length for axis in problem.space) / math.pi
    return length / problem.half_waves if draw.chance(0.5) else length


def steep_limit(problem, axis, horizon, share=6.0):
    """The largest b for which b u u_x lets a disturbance grow by exp(3) at the most over the time."""
    return share / (problem.exact["u"].steepest(axis) * horizon)


def diffusivity(problem, draw):
    return draw.log(0.1, 10) * reach(problem, draw) ** 2 / problem.sizes.time


def operator(problem, draw, kind):
    T, U, D = problem.sizes.time, problem.sizes.field, diffusivity(problem, draw)
    left = [problem.times("rho", 1, "u_t")]
    if kind == "variable":
        problem.define["k"] = conductivity(draw, problem.space)
        return left + [problem.times("D", D, "div(k*grad(u))", "-")]
    if kind == "porous":
        share = rounded(draw.log(0.1, 3) / U**2, 3)
        problem.constants["b"] = share
        return left + [problem.times("D", D, "div((1 + b*u^2)*grad(u))", "-")]
    left.append(problem.times("D", D, "u_xx" if len(problem.space) == 1 else "laplacian(u)", "-"))
    if kind == "decay":
        left.append(problem.times("q", draw.log(0.1, 10) / T, "u"))
    if kind == "transport":
        for axis in problem.space:
            left.append(problem.times(f"c{axis.name}", draw.log(0.1, 5) * axis.length / T, f"u_{axis.name}", draw.pick("+-")))
    if kind == "fisher":
        problem.constants["limit"] = rounded(draw.uniform(1, 2) * U, 3)
        left.append(problem.times("r", draw.log(0.1, 2) / T, "u*(1 - u/limit)", "-"))
    if kind == "allen_cahn":
        rate = draw.log(0.3, 3) / T
        left += [problem.times("r", rate, "u", "-"), problem.times("g", rate / U**2, "u^3")]
    if kind == "burgers":
        axis = problem.space[0]
        most = steep_limit(problem, axis, T)
        factor = 1.0 if U == 1 and axis.length == T and most > 1 else min(most, draw.log(0.1, 10) * axis.length / (T * U))
        left.append(problem.times("b", factor, "u*u_x"))
    return left


def parabolic(draw):
    kind, sizes = draw.weighted(EQUATIONS), Sizes(draw)
    count = 2 if kind != "burgers" and draw.chance(0.3) else 1
    if kind == "heat" and draw.chance(0.4):
        return cooling(draw, sizes, count)
    periodic = [] if kind == "variable" else periodic_axes(draw, "xy"[:count])
    axes = space(draw, sizes, count, periodic) + [time(sizes)]
    problem = Problem(f"{TITLES[kind]} in {count} dimension{'s' * (count > 1)}", sizes, axes)
    problem.solve_for("u", mixture(draw, axes, sizes.field, positive=kind == "fisher"))
    problem.equations(operator(problem, draw, kind))
    initial(problem)
    walls(problem, draw, anchored=True)
    return problem


def cooling(draw, sizes, count):
    """Modes of a body that decay, without a source: cold walls, or insulated ones."""
    axes = space(draw, sizes, count)
    problem = Problem(f"Cooling of a body in {count} dimension{'s' * (count > 1)}", sizes, axes + [time(sizes)])
    problem.free = True
    trig = draw.pick(("sin", "cos"))
    counts = sorted({tuple(max(1, round(draw.half_waves())) for _ in axes) for _ in range(draw.pick((1, 1, 2, 3)))})
    most = max(map(max, counts))
    reach = min(axis.length for axis in axes) / math.pi / (most if draw.chance(0.5) else 1)
    rate = draw.log(0.1, 10) * reach**2 / sizes.time
    left = [problem.times("rho", 1, "u_t"), problem.times("D", rate, "u_xx" if count == 1 else "laplacian(u)", "-")]
    modes = [mode(draw, axes, numbers, trig, problem.ratio("D", "rho"), sizes.field) for numbers in counts]
    problem.solve_for("u", Exact(" + ".join(modes), problem.axes, most, ["wave", "exponential"]))
    problem.equations(left)
    initial(problem)
    walls(problem, draw, True, {"dirichlet": 1} if trig == "sin" else {"neumann": 1})
    return problem


def mode(draw, axes, numbers, trig, rate, size):
    """A product of waves and its decay."""
    waves = "*".join(f"{trig}({angle(axis, number)})" for number, axis in zip(numbers, axes))
    squares = " + ".join(f"({number}*pi/{text(axis.length)})^2" for number, axis in zip(numbers, axes))
    squares = f"({squares})" if len(axes) > 1 else squares
    return f"{text(rounded(size * draw.uniform(0.3, 1, 2), 3))}*{waves}*exp(-{rate}*{squares}*t)"
