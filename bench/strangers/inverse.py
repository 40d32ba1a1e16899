"""Inverse problems: one or two numbers of the equation are unknown, and the solution is observed with noise."""

import math

from conditions import initial, walls
from draw import Sizes, rounded, space, time
from exact import mixture
from ordinary import begin as begin_ordinary
from parabolic import reach
from problem import Problem


def unknown(problem, draw, name, truth):
    """A number to be found: the first guess is off by up to a factor of three."""
    truth = rounded(truth * problem.lead * problem.sizes.coefficient, 3)
    start = rounded(truth * draw.log(0.3, 3), 1)
    problem.unknowns[name] = {"start": start, "bounds": (0, rounded(10 * max(start, truth), 1)), "truth": truth}
    return name


def given(problem, draw, name, truth, term, sign="+"):
    """A summand with an unknown coefficient."""
    return f"{sign} {unknown(problem, draw, name, truth)}*{term}"


def observed(problem, draw):
    """Noise of 0 to 2% on values at random places."""
    noise = 0 if draw.chance(0.35) else draw.uniform(0.002, 0.02, 1)
    points = draw.pick((30, 50, 100)) if len(problem.axes) == 1 else draw.pick((50, 100, 200))
    problem.terms["data"] = {"data": "reference", "points": points, "noise": noise or None}
    problem.conditions.append("data")


def line(draw, title, count=1):
    sizes = Sizes(draw)
    axes = space(draw, sizes, count) + [time(sizes)]
    problem = Problem(title, sizes, axes)
    problem.solve_for("u", mixture(draw, axes, sizes.field))
    return problem, sizes.time, reach(problem, draw)


def role(draw):
    """Half of the files say that the equation is an objective beside the data; the others leave it a constraint, the default."""
    return "objective" if draw.chance(0.5) else None


def diffusion(draw):
    """Diffusivity; in half of the files the speed of the flow or the strength of a sink too."""
    count = 2 if draw.chance(0.25) else 1
    problem, T, ell = line(draw, "Diffusion with unknown coefficients", count)
    bend = "laplacian(u)" if count > 1 else "u_xx"
    left = [problem.times("rho", 1, "u_t"), given(problem, draw, "D", draw.log(0.1, 10) * ell**2 / T, bend, "-")]
    second = draw.pick(("none", "none", "flow", "sink"))
    if second == "flow":
        left.append(given(problem, draw, "c", draw.log(0.3, 5) * ell * math.pi / T, "u_x"))
    if second == "sink":
        left.append(given(problem, draw, "g", draw.log(0.3, 5) / (T * problem.sizes.field**2), "u^3"))
    problem.equations(left, role=role(draw))
    initial(problem)
    walls(problem, draw, True)
    observed(problem, draw)
    return problem


def wave_speed(draw):
    problem, T, _ = line(draw, "Wave with an unknown speed")
    square = (draw.log(0.3, 3) * problem.space[0].length / T) ** 2
    left = [problem.times("rho", 1, "u_tt"), given(problem, draw, "c2", square, "u_xx", "-")]
    if draw.chance(0.4):
        left.append(given(problem, draw, "a", draw.log(0.5, 5) / T, "u_t"))
    problem.equations(left, role=role(draw))
    initial(problem, 2)
    walls(problem, draw, True)
    observed(problem, draw)
    return problem


def screened(draw):
    """The strength of a sink in a steady field."""
    sizes = Sizes(draw)
    axes = space(draw, sizes, 2)
    problem = Problem("Steady diffusion with an unknown sink", sizes, axes)
    problem.solve_for("u", mixture(draw, axes, sizes.field))
    ell = reach(problem, draw)
    problem.balance(draw, ell**2)
    left = [problem.times("a", 1, "laplacian(u)", "-"), given(problem, draw, "q", draw.log(0.3, 10) / ell**2, "u")]
    problem.equations(left, role=role(draw))
    walls(problem, draw, True)
    observed(problem, draw)
    return problem


def oscillator(draw):
    """Damping and stiffness from a record of the motion."""
    problem, T, _ = begin_ordinary(draw, "Oscillator with unknown damping and stiffness", "t")
    waves = (problem.half_waves if draw.chance(0.5) else 1) * math.pi / T
    left = [problem.times("m", 1, "u_tt"), given(problem, draw, "c", draw.log(0.2, 3) * waves, "u_t")]
    left.append(given(problem, draw, "k", draw.log(0.3, 3) * waves**2, "u"))
    problem.equations(left, role=role(draw))
    initial(problem, 2)
    observed(problem, draw)
    return problem


def growth(draw):
    """The rate of a decay or the resistance of a cubic brake."""
    problem, T, U = begin_ordinary(draw, "Decay with an unknown rate", "t")
    term, size = draw.pick((("u", 1), ("u^3", U**2)))
    problem.equations([problem.times("m", 1, "u_t"), given(problem, draw, "a", draw.log(0.3, 10) / (T * size), term)], role=role(draw))
    initial(problem)
    observed(problem, draw)
    return problem


def burgers(draw):
    """Viscosity, and the strength of the steepening in half of the files."""
    problem, T, ell = line(draw, "Burgers equation with unknown viscosity")
    axis = problem.space[0]
    most = 6 / (problem.exact["u"].steepest(axis) * T)
    strength = min(most, draw.log(0.3, 3) * axis.length / (T * problem.sizes.field))
    steep = given(problem, draw, "b", strength, "u*u_x") if draw.chance(0.5) else problem.times("b", strength, "u*u_x")
    left = [problem.times("rho", 1, "u_t"), steep, given(problem, draw, "nu", draw.log(0.1, 10) * ell**2 / T, "u_xx", "-")]
    problem.equations(left, role=role(draw))
    initial(problem)
    walls(problem, draw, True)
    observed(problem, draw)
    return problem


KINDS = {diffusion: 3, wave_speed: 1, screened: 1.5, oscillator: 1.5, growth: 1, burgers: 1.5}


def inverse(draw):
    return draw.weighted(KINDS)(draw)
