"""Waves and transport: the wave, Klein-Gordon, sine-Gordon, telegraph and advection equations."""

import re

from conditions import initial, periodic_axes, ring, wall, walls
from draw import Sizes, rounded, space, text, time
from exact import Exact, angle, factor, mixture
from problem import Problem, sine

EQUATIONS = {"wave": 3, "telegraph": 1, "klein_gordon": 1, "cubic": 1, "sine_gordon": 1, "advection": 2, "variable": 1}
TITLES = {
    "wave": "Wave equation", "telegraph": "Telegraph equation", "klein_gordon": "Klein-Gordon equation",
    "cubic": "Klein-Gordon equation with a cubic force", "sine_gordon": "Sine-Gordon equation", "advection": "Advection",
    "variable": "Advection with a speed that varies",
}


def speed(draw, sizes, most=3):
    """A wave crosses the box 0.3 to 3 times."""
    return rounded(draw.log(0.3, most) * sizes.length / sizes.time, 3)


def operator(problem, draw, kind):
    T, U, c = problem.sizes.time, problem.sizes.field, speed(draw, problem.sizes)
    bend = "u_xx" if len(problem.space) == 1 else "laplacian(u)"
    left = [problem.times("rho", 1, "u_tt"), problem.times("c2", c**2, bend, "-")]
    if kind == "telegraph":
        left.append(problem.times("a", draw.log(0.3, 10) / T, "u_t"))
    if kind in ("klein_gordon", "cubic"):
        left.append(problem.times("k", draw.log(0.5, 50) / T**2, "u"))
    if kind == "cubic":
        left.append(problem.times("g", draw.log(0.3, 10) / (T * U) ** 2, "u^3"))
    if kind == "sine_gordon":
        left.append(problem.times("k", draw.log(0.5, 9) / T**2 * U, sine(problem)))
    return left


def hyperbolic(draw):
    kind, sizes = draw.weighted(EQUATIONS), Sizes(draw)
    if kind in ("advection", "variable"):
        return advection(draw, sizes, kind)
    if kind == "wave" and draw.chance(0.5):
        return free_wave(draw, sizes)
    count = 2 if draw.chance(0.25) else 1
    axes = space(draw, sizes, count, periodic_axes(draw, "xy"[:count])) + [time(sizes)]
    problem = Problem(f"{TITLES[kind]} in {count} dimension{'s' * (count > 1)}", sizes, axes)
    problem.solve_for("u", mixture(draw, axes, sizes.field))
    problem.equations(operator(problem, draw, kind))
    initial(problem, 2)
    walls(problem, draw, True)
    return problem


def free_wave(draw, sizes):
    """A string between fixed or free ends, let go; or two pulses that run through each other. Without a source."""
    axis, c = space(draw, sizes, 1)[0], speed(draw, sizes)
    problem = Problem("Free waves on a string", sizes, [axis, time(sizes)])
    problem.free = True
    left = [problem.times("rho", 1, "u_tt"), problem.times("c2", c**2, "u_xx", "-")]
    # Waves in time are as many as those in space times the crossings: 20 at the most of either.
    count = min(draw.half_waves(), 20 / max(1, c * sizes.time / axis.length))
    kind = draw.pick((standing_wave, pulses))
    problem.solve_for("u", kind(draw, problem.axes, f"sqrt({problem.ratio('c2', 'rho')})*t", count, sizes.field))
    problem.equations(left)
    initial(problem, 2)
    walls(problem, draw, True)
    return problem


def standing_wave(draw, axes, way, count, size):
    """`way`: how far waves have run."""
    axis, number, trig = axes[0], max(1, round(count)), draw.pick(("sin", "cos"))
    wave = f"{trig}({angle(axis, number)})*cos({number}*pi*{way}/{text(axis.length)})"
    return Exact(f"{text(rounded(size * draw.uniform(0.5, 1.5, 2), 3))}*{wave}", axes, number, ["wave"])


def moved(formula, axis, shift):
    """The formula with the coordinate shifted."""
    return re.sub(rf"\b{axis.name}\b", f"({axis.name} {shift})", formula)


def pulses(draw, axes, way, count, size):
    """What runs to the right and what runs to the left."""
    axis, kinds = axes[0], {"wave": 1, "bump": 2, "front": 1}
    found = [factor(draw, axis, rounded(count, 2), kinds) for _ in range(2)]
    right, left = moved(found[0].formula, axis, f"- {way}"), moved(found[1].formula, axis, f"+ {way}")
    weights = [text(rounded(size * draw.uniform(0.3, 1, 2), 3)) for _ in range(2)]
    return Exact(f"{weights[0]}*{right} + {weights[1]}*{left}", axes, rounded(count, 2), found[0].kinds + found[1].kinds)


def advection(draw, sizes, kind):
    """Transport to the right: the inflow is given, or the line is a ring."""
    periodic = periodic_axes(draw, "x", 0.4 if kind == "advection" else 0)
    axis = space(draw, sizes, 1, periodic)[0]
    problem = Problem(TITLES[kind], sizes, [axis, time(sizes)])
    left = [problem.times("rho", 1, "u_t"), problem.times("c", speed(draw, sizes), "u_x" if kind == "advection" else "speed*u_x")]
    problem.free = kind == "advection" and draw.chance(0.6)
    if kind == "variable":
        problem.define["speed"] = f"1 + {text(draw.uniform(0.2, 0.6, 2))}*sin({draw.pick((2, 4))}*pi*{axis.unit})"
    problem.solve_for("u", carried(draw, problem) if problem.free else mixture(draw, problem.axes, sizes.field))
    if draw.chance(0.3) and not problem.free:
        left.append(problem.times("q", draw.log(0.1, 5) / sizes.time, "u"))
    problem.equations(left)
    initial(problem)
    if periodic:
        ring(problem, axis, 1)
    else:
        wall(problem, draw, "dirichlet", axis.faces()[0], name="inflow")
    return problem


def carried(draw, problem):
    """A profile that is carried along unchanged."""
    axis = problem.axes[0]
    profile = factor(draw, axis, draw.half_waves())
    moving = moved(profile.formula, axis, f"- {problem.ratio('c', 'rho')}*t")
    amplitude = rounded(problem.sizes.field * draw.uniform(0.5, 1.5, 2), 3)
    return Exact(f"{text(amplitude)}*{moving}", problem.axes, profile.half_waves, profile.kinds)
