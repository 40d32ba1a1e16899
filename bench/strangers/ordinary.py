"""Ordinary differential equations: initial and boundary value problems of first and second order."""

import math

from conditions import initial, walls
from draw import Axis, Sizes, rounded
from exact import mixture
from problem import Problem, sine


def begin(draw, title, axis_name, positive=False):
    sizes = Sizes(draw)
    axis = Axis("t", 0, sizes.time) if axis_name == "t" else Axis("x", 0, sizes.length)
    problem = Problem(title, sizes, [axis])
    problem.solve_for("u", mixture(draw, [axis], sizes.field, positive))
    return problem, axis.length, sizes.field


def relaxation(draw):
    """u' + a u, with a constant or a rate that changes."""
    problem, T, _ = begin(draw, "Relaxation", "t")
    rate = "u"
    if draw.chance(0.5):
        problem.define["rate"] = f"1 + 0.5*sin({2 * draw.pick((1, 2, 3))}*pi*{problem.axes[0].unit})"
        problem.title, rate = "Relaxation with a rate that changes", "rate*u"
    problem.equations([problem.times("m", 1, "u_t"), problem.times("a", draw.log(0.3, 10) / T, rate)])
    initial(problem)
    return problem


def logistic(draw):
    """Growth to a limit; over the whole time a disturbance grows at most by exp(3)."""
    problem, T, U = begin(draw, "Logistic growth", "t", positive=True)
    rate, limit = draw.log(0.3, 3) / T, rounded(draw.uniform(1, 2) * U, 3)
    problem.constants["limit"] = limit
    problem.equations([problem.times("m", 1, "u_t"), problem.times("r", rate, "u*(1 - u/limit)", "-")])
    initial(problem)
    return problem


def cubic_damping(draw):
    problem, T, U = begin(draw, "Decay with a cubic rate", "t")
    problem.equations([problem.times("m", 1, "u_t"), problem.times("a", draw.log(0.1, 10) / (T * U**2), "u^3")])
    initial(problem)
    return problem


def oscillator(draw):
    """Damped and driven: linear, stiffening, or a pendulum."""
    kind = draw.pick(("Driven oscillator", "Duffing oscillator", "Driven pendulum"))
    problem, T, U = begin(draw, kind, "t")
    square = (math.pi * draw.half_waves() / T) ** 2 if draw.chance(0.5) else draw.log(0.5, 10) / T**2
    left = [problem.times("m", 1, "u_tt"), problem.times("c", draw.log(0.1, 3) / T, "u_t")]
    if kind == "Driven pendulum":
        left.append(problem.times("k", square * U, sine(problem)))
    else:
        left.append(problem.times("k", square, "u"))
    if kind == "Duffing oscillator":
        left.append(problem.times("b", draw.log(0.1, 3) * square / U**2, "u^3"))
    problem.equations(left)
    initial(problem, 2)
    return problem


def van_der_pol(draw):
    problem, T, U = begin(draw, "Van der Pol oscillator", "t")
    problem.constants["limit"] = U
    pump = problem.times("mu", draw.log(0.1, 2) / T, "(1 - (u/limit)^2)*u_t", "-")
    problem.equations([problem.times("m", 1, "u_tt"), pump, problem.times("k", draw.log(0.5, 10) / T**2, "u")])
    initial(problem, 2)
    return problem


def steady_diffusion(draw):
    """-(k u')' + q u, q not negative."""
    problem, L, U = begin(draw, "Steady diffusion in a rod", "x")
    problem.balance(draw, (L / math.pi) ** 2)
    left, anchored = [], draw.chance(0.6)
    if draw.chance(0.5):
        problem.define["k"] = f"1 + {draw.uniform(0.3, 0.9, 2)}*sin({draw.pick((1, 2, 3, 4))}*pi*{problem.axes[0].unit})"
        left.append(problem.times("a", 1, "d(k*u_x, x)", "-"))
    else:
        left.append(problem.times("a", 1, "u_xx", "-"))
    if anchored:
        power = draw.pick(("u", "u", "u^3"))
        left.append(problem.times("q", draw.log(0.3, 30) / L**2 / (U**2 if power == "u^3" else 1), power))
    problem.equations(left)
    # u^3 vanishes at zero: it does not fix the level as well as u does.
    walls(problem, draw, anchored and "u^3" not in left[-1])
    return problem


def steady_transport(draw):
    """-a u'' + b u', b L / a to 20."""
    problem, L, _ = begin(draw, "Steady convection and diffusion", "x")
    problem.balance(draw, (L / math.pi) ** 2)
    problem.equations([problem.times("a", 1, "u_xx", "-"), problem.times("b", draw.log(0.5, 20) / L, "u_x")])
    # Values at both ends: with a flux at the inflow, layers of size exp(b L / a) arise.
    walls(problem, draw, kinds={"dirichlet": 1})
    return problem


def standing(draw):
    """u'' + k^2 u between fixed ends, between two resonances."""
    problem, L, _ = begin(draw, "Helmholtz equation on a line", "x")
    problem.balance(draw, (L / math.pi) ** 2)
    waves = int(draw.half_waves()) + draw.uniform(0.25, 0.75, 2)
    problem.equations([problem.times("a", 1, "u_xx"), problem.times("k2", (math.pi * waves / L) ** 2, "u")])
    walls(problem, draw, kinds={"dirichlet": 1})
    return problem


KINDS = {relaxation: 2, logistic: 1, cubic_damping: 1, oscillator: 3, van_der_pol: 1, steady_diffusion: 3,
         steady_transport: 1, standing: 1}


def ode(draw):
    return draw.weighted(KINDS)(draw)
