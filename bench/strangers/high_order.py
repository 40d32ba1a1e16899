"""Equations of third order (long waves, jerk) and of fourth (beams, plates, patterns)."""

import math

from conditions import ends, initial, ring, wall
from draw import Axis, Sizes, rounded, space, text, time
from exact import Exact, angle, mixture
from parabolic import reach, steep_limit
from problem import Problem

THIRD = {"kdv": 2, "airy": 1.5, "kdv_burgers": 1, "mkdv": 1, "bbm": 1, "soliton": 1, "jerk": 1.5}
FOURTH = {"beam": 3, "vibrating": 2, "free_beam": 1, "swift_hohenberg": 1.5, "kuramoto": 1, "film": 1, "plate": 2}
TITLES = {
    "kdv": "Korteweg-de Vries equation", "airy": "Linear dispersion", "kdv_burgers": "Korteweg-de Vries-Burgers equation",
    "mkdv": "Modified Korteweg-de Vries equation", "bbm": "Benjamin-Bona-Mahony equation",
    "swift_hohenberg": "Swift-Hohenberg equation", "kuramoto": "Kuramoto-Sivashinsky equation", "film": "Levelling of a thin film",
}


def line(draw, sizes, title, chance):
    """A problem on a line and in time; a ring with some chance."""
    axis = space(draw, sizes, 1, ["x"] if draw.chance(chance) else [])[0]
    problem = Problem(title, sizes, [axis, time(sizes)])
    problem.solve_for("u", mixture(draw, problem.axes, sizes.field))
    return problem, axis


def steepening(problem, draw, axis, power=1):
    """The coefficient of u u_x, such that disturbances grow by exp(3) at the most."""
    T, U = problem.sizes.time, problem.sizes.field
    most = steep_limit(problem, axis, T) / (2 * U) ** (power - 1)
    return min(most, draw.log(0.1, 10) * axis.length / (T * U**power))


def dispersive(draw, kind, sizes):
    problem, axis = line(draw, sizes, TITLES[kind], 0.3)
    T, ell = sizes.time, reach(problem, draw)
    left = [problem.times("rho", 1, "u_t")]
    if kind in ("airy", "bbm") or draw.chance(0.2):
        left.append(problem.times("c", draw.log(0.1, 5) * axis.length / T, "u_x"))
    if kind in ("kdv", "kdv_burgers", "bbm"):
        left.append(problem.times("a", steepening(problem, draw, axis), "u*u_x"))
    if kind == "mkdv":
        left.append(problem.times("a", steepening(problem, draw, axis, 2), "u^2*u_x"))
    if kind == "kdv_burgers":
        left.append(problem.times("nu", draw.log(0.1, 10) * ell**2 / T, "u_xx", "-"))
    if kind == "bbm":
        left.append(problem.times("b", draw.log(0.1, 10) * ell**2, "u_xxt", "-"))
    else:
        left.append(problem.times("b", draw.log(0.1, 10) * ell**3 / T, "u_xxx"))
    problem.equations(left)
    initial(problem)
    sides(problem, draw, axis, kind)
    return problem


def sides(problem, draw, axis, kind):
    """Third order with b > 0: one condition on the left, two on the right; the mixed derivative of BBM has one each."""
    if axis.periodic:
        ring(problem, axis, 2 if kind == "bbm" else 3)
    elif kind == "bbm":
        wall(problem, draw, "dirichlet", axis.faces())
    else:
        ends(problem, axis, [0], [0, 1])


def soliton(draw, sizes):
    """u_t + a u u_x + b u_xxx = 0: A / cosh((x - x0 - v t) / w)^2 with v = a A / 3, w^2 = 12 b / (a A)."""
    axis = space(draw, sizes, 1)[0]
    problem = Problem("Korteweg-de Vries soliton", sizes, [axis, time(sizes)])
    problem.free = True
    height, width = rounded(sizes.field * draw.uniform(0.7, 1.4, 2), 3), draw.uniform(0.06, 0.15) * axis.length
    a = 3 * draw.uniform(0.1, 0.5) * axis.length / (sizes.time * height)
    b = a * height * width**2 / 12
    left = [problem.times("rho", 1, "u_t"), problem.times("a", a, "u*u_x"), problem.times("b", b, "u_xxx")]
    problem.constants["height"] = height
    steep, run = problem.ratio("a", "b"), problem.ratio("a", "rho")
    begin = text(rounded(axis.low + draw.uniform(0.25, 0.4, 2) * axis.length, 4))
    shape = f"height/cosh(sqrt({steep}*height/12)*(x - {begin} - {run}*height/3*t))^2"
    problem.solve_for("u", Exact(shape, problem.axes, rounded(0.5 * axis.length / width, 2), ["soliton"]))
    problem.equations(left)
    initial(problem)
    sides(problem, draw, axis, "kdv")
    return problem


def jerk(draw, sizes):
    """u''' + a u'' + b u' + c u: stable, as a b > c."""
    problem = Problem("Jerk equation", sizes, [Axis("t", 0, sizes.time)])
    problem.solve_for("u", mixture(draw, problem.axes, sizes.field))
    T = sizes.time
    a, b = draw.log(1, 10) / T, draw.log(1, 30) / T**2
    c = a * b * draw.uniform(0.1, 0.8)
    coefficients = (("m", 1, "u_ttt"), ("a", a, "u_tt"), ("b", b, "u_t"), ("c", c, "u"))
    problem.equations([problem.times(*each) for each in coefficients])
    initial(problem, 3)
    return problem


def third_order(draw):
    kind, sizes = draw.weighted(THIRD), Sizes(draw)
    if kind in ("soliton", "jerk"):
        return {"soliton": soliton, "jerk": jerk}[kind](draw, sizes)
    return dispersive(draw, kind, sizes)


def supports(problem, draw, axis, free=True):
    """Clamped, supported or (on the right) free ends."""
    held = ([0, 1], [0, 2])
    low = draw.pick(held)
    # A beam that is supported on the left and free on the right could turn.
    high = draw.pick((*held, [2, 3])) if free and low == [0, 1] else draw.pick(held)
    ends(problem, axis, low, high)


def beam(draw, sizes):
    """E I u'''' with tension and an elastic bed."""
    axis = space(draw, sizes, 1)[0]
    problem = Problem("Bending of a beam", sizes, [axis])
    problem.solve_for("u", mixture(draw, [axis], sizes.field))
    ell = reach(problem, draw)
    problem.balance(draw, ell**4)
    left = [problem.times("B", 1, "u_xxxx")]
    if draw.chance(0.3):
        left.append(problem.times("N", draw.log(0.1, 10) / ell**2, "u_xx", "-"))
    if draw.chance(0.4):
        left.append(problem.times("k", draw.log(0.1, 10) / ell**4, "u"))
    problem.equations(left)
    supports(problem, draw, axis)
    return problem


def vibrating(draw, sizes):
    problem, axis = line(draw, sizes, "Vibrating beam", 0)
    ell, T = reach(problem, draw), sizes.time
    left = [problem.times("rho", 1, "u_tt"), problem.times("B", draw.log(0.1, 10) * ell**4 / T**2, "u_xxxx")]
    if draw.chance(0.4):
        left.append(problem.times("c", draw.log(0.1, 5) / T, "u_t"))
    problem.equations(left)
    initial(problem, 2)
    supports(problem, draw, axis)
    return problem


def free_beam(draw, sizes):
    """A mode of a supported beam, let go."""
    axis = space(draw, sizes, 1)[0]
    problem = Problem("Free vibration of a beam", sizes, [axis, time(sizes)])
    problem.free = True
    number = max(1, round(min(draw.half_waves(), 6)))
    swings = draw.log(0.5, 6) / sizes.time
    stiffness = (math.pi * swings) ** 2 * (axis.length / (number * math.pi)) ** 4
    left = [problem.times("rho", 1, "u_tt"), problem.times("B", stiffness, "u_xxxx")]
    pitch = f"{number}*pi/{text(axis.length)}"
    amplitude = text(rounded(sizes.field * draw.uniform(0.5, 1.5, 2), 3))
    shape = f"{amplitude}*sin({angle(axis, number)})*cos(sqrt({problem.ratio('B', 'rho')})*({pitch})^2*t)"
    problem.solve_for("u", Exact(shape, problem.axes, max(number, rounded(swings * sizes.time, 2)), ["wave"]))
    problem.equations(left)
    initial(problem, 2)
    ends(problem, axis, [0, 2], [0, 2])
    return problem


def pattern(draw, kind, sizes):
    """Swift-Hohenberg, Kuramoto-Sivashinsky, thin film: disturbances grow by exp(3) at the most."""
    problem, axis = line(draw, sizes, TITLES[kind], 0.35)
    ell, T, U = reach(problem, draw), sizes.time, sizes.field
    b = draw.log(0.1, 10) * ell**4 / T
    left = [problem.times("rho", 1, "u_t"), problem.times("b", b, "u_xxxx")]
    if kind == "swift_hohenberg":
        rate, square = draw.log(0.3, 3) / T, draw.log(0.3, 2) / ell**2
        left += [problem.times("s", 2 * b * square, "u_xx"), problem.times("q", b * square**2, "u"),
                 problem.times("r", rate, "u", "-"), problem.times("g", rate / U**2, "u^3")]
    if kind == "kuramoto":
        # The fastest mode of -a u_xx - b u_xxxx grows at the rate a^2 / (4 b); half of exp(3) is left to u
        # u_x.
        left.append(problem.times("a", math.sqrt(4 * b * draw.log(0.1, 1.5) / T), "u_xx"))
        left.append(problem.times("c", 0.5 * steepening(problem, draw, axis), "u*u_x"))
    problem.equations(left)
    initial(problem)
    if axis.periodic:
        ring(problem, axis, 4)
    else:
        supports(problem, draw, axis, free=False)
    return problem


def plate(draw, sizes):
    """A plate that is clamped, or simply supported, on all sides."""
    axes = space(draw, sizes, 2)
    problem = Problem("Bending of a plate", sizes, axes)
    problem.solve_for("u", mixture(draw, axes, sizes.field))
    problem.balance(draw, reach(problem, draw) ** 4)
    problem.equations([problem.times("B", 1, "laplacian(laplacian(u))")])
    second, kind = draw.pick((("u_n", "value+slope"), ("laplacian(u)", "value+moment")))
    problem.condition("sides", kind, "boundary", ["u", second])
    return problem


def fourth_order(draw):
    kind, sizes = draw.weighted(FOURTH), Sizes(draw)
    single = {"beam": beam, "vibrating": vibrating, "free_beam": free_beam, "plate": plate}
    return single[kind](draw, sizes) if kind in single else pattern(draw, kind, sizes)
