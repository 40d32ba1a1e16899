"""Systems of two and three fields."""

import math

from conditions import level, ring, start_all, wall, walls
from draw import Axis, Sizes, rounded, space, text, time
from exact import Exact, mixture
from parabolic import reach
from problem import Problem


def field_sizes(draw, sizes, count):
    """The sizes of several fields: alike, or where sizes are not of order one up to a factor of ten apart."""
    spread = [draw.log(0.1, 10, 2) if sizes.scaled and draw.chance(0.5) else 1 for _ in range(count)]
    return [rounded(sizes.field * factor, 3) for factor in spread]


def begin(draw, title, names, count, positive=False, chance=0.2):
    """A problem in this many dimensions of space (with time, unless there are two) with a solution for every field."""
    sizes = Sizes(draw)
    periodic = ["x"] if count == 1 and draw.chance(chance) else []
    axes = space(draw, sizes, count, periodic) + ([time(sizes)] if count < 2 else [])
    problem = Problem(title, sizes, axes, names)
    found = field_sizes(draw, sizes, len(names))
    for name, size in zip(names, found):
        problem.solve_for(name, mixture(draw, axes, size, positive))
    return problem, found


def reaction_diffusion(draw):
    """Two substances that diffuse and react: one feeds on the other, or excites it."""
    excitable = draw.chance(0.5)
    problem, (U, V) = begin(draw, "FitzHugh-Nagumo equations" if excitable else "Feeding and diffusion", ("u", "v"), 1, not excitable)
    T, ell = problem.sizes.time, reach(problem, draw)
    first = [problem.times("rho", 1, "u_t"), problem.times("D1", draw.log(0.1, 10) * ell**2 / T, "u_xx", "-")]
    second = [problem.times("rho", 1, "v_t"), problem.times("D2", draw.log(0.1, 10) * ell**2 / T, "v_xx", "-")]
    rate = draw.log(0.2, 1.5) / T
    if excitable:
        first += [problem.times("a", rate, "u", "-"), problem.times("g", rate / U**2, "u^3"), problem.times("b", rate * U / V, "v")]
        second += [problem.times("c", draw.log(0.2, 1.5) / T * V / U, "u", "-"), problem.times("q", draw.log(0.2, 3) / T, "v")]
    else:
        first.append(problem.times("a", rate / V, "u*v"))
        second += [problem.times("b", rate / U, "u*v", "-"), problem.times("q", draw.log(0.2, 3) / T, "v")]
    problem.equations(first, second)
    start_all(problem)
    walls(problem, draw, True, fields=("u", "v"))
    return problem


def first_order_wave(draw):
    """Pressure and velocity in a pipe, or voltage and current in a cable: each end has one condition."""
    problem, (P, V) = begin(draw, "Sound in a pipe", ("p", "v"), 1)
    axis, T = problem.space[0], problem.sizes.time
    c = draw.log(0.3, 3) * axis.length / T
    first = [problem.times("kappa", 1, "p_t"), problem.times("a", c * P / V, "v_x")]
    second = [problem.times("kappa", 1, "v_t"), problem.times("b", c * V / P, "p_x")]
    if draw.chance(0.4):
        second.append(problem.times("r", draw.log(0.1, 5) / T, "v"))
    problem.equations(first, second)
    start_all(problem)
    if axis.periodic:
        ring(problem, axis, 1, ("p", "v"))
    else:
        for name, face in zip(("left", "right"), axis.faces()):
            wall(problem, draw, "dirichlet", face, (draw.pick(("p", "v")),), name)
    return problem


def schroedinger(draw):
    """The real and the imaginary part of a wave function."""
    problem, _ = begin(draw, "Schroedinger equation", ("u", "v"), 1)
    size = problem.sizes.field
    T, ell = problem.sizes.time, reach(problem, draw)
    a = draw.log(0.1, 10) * ell**2 / T
    first = [problem.times("rho", 1, "u_t"), problem.times("a", a, "v_xx")]
    second = [problem.times("rho", 1, "v_t"), problem.times("a", a, "u_xx", "-")]
    if draw.chance(0.5):
        largest = max(exact.largest() for exact in problem.exact.values())
        g = min(draw.log(0.1, 3) / size**2, 1.5 / largest**2) / T
        first.append(problem.times("g", g, "(u^2 + v^2)*v"))
        second.append(problem.times("g", g, "(u^2 + v^2)*u", "-"))
    problem.equations(first, second)
    start_all(problem)
    walls(problem, draw, True, {"dirichlet": 2, "neumann": 1}, ("u", "v"))
    return problem


def ordinary(draw, title, names, positive=False):
    sizes = Sizes(draw)
    problem = Problem(title, sizes, [Axis("t", 0, sizes.time)], names)
    found = field_sizes(draw, sizes, len(names))
    for name, size in zip(names, found):
        problem.solve_for(name, mixture(draw, problem.axes, size, positive))
    return problem, found


def predators(draw):
    problem, (U, V) = ordinary(draw, "Hunters and prey", ("u", "v"), True)
    T = problem.sizes.time
    a, b = draw.log(0.3, 2) / T, draw.log(0.3, 2) / T
    first = [problem.times("m", 1, "u_t"), problem.times("a", a, "u", "-"), problem.times("c", a / V, "u*v")]
    second = [problem.times("m", 1, "v_t"), problem.times("b", b, "v"), problem.times("f", b / U, "u*v", "-")]
    problem.equations(first, second)
    start_all(problem)
    return problem


def epidemic(draw):
    problem, (S, I, R) = ordinary(draw, "Epidemic", ("s", "i", "r"), True)
    T = problem.sizes.time
    spread, heal = draw.log(0.3, 2) / T, draw.log(0.3, 3) / T
    first = [problem.times("m", 1, "s_t"), problem.times("b1", spread / I, "s*i")]
    second = [problem.times("m", 1, "i_t"), problem.times("b2", spread / S, "s*i", "-"), problem.times("g", heal, "i")]
    third = [problem.times("m", 1, "r_t"), problem.times("h", heal * R / I, "i", "-")]
    problem.equations(first, second, third)
    start_all(problem)
    return problem


def coupled_springs(draw):
    """Two masses and three springs: less coupling than stiffness, so that nothing pushes the masses apart."""
    problem, (U, V) = ordinary(draw, "Coupled oscillators", ("u", "v"))
    T = problem.sizes.time
    joint = draw.log(1, 30) / T**2
    stiffness = joint + draw.log(1, 60) / T**2
    first = [problem.times("m", 1, "u_tt"), problem.times("k", stiffness, "u"), problem.times("c", joint * U / V, "v", "-")]
    second = [problem.times("m", 1, "v_tt"), problem.times("k", stiffness, "v"), problem.times("b", joint * V / U, "u", "-")]
    problem.equations(first, second)
    problem.condition("initial", "initial", "t = 0", ["u", "u_t", "v", "v_t"])
    return problem


def coupled_elliptic(draw):
    """Two fields that exchange: what one loses the other gains."""
    problem, (U, V) = begin(draw, "Exchange between two layers", ("u", "v"), 2)
    ell = reach(problem, draw)
    problem.balance(draw, ell**2)
    q = draw.log(0.1, 10) / ell**2
    share, back = draw.uniform(0.2, 0.9), draw.uniform(0.2, 0.9)
    first = [problem.times("a", 1, "laplacian(u)", "-"), problem.times("q", q, "u"), problem.times("q1", share * q * U / V, "v", "-")]
    second = [problem.times("a", 1, "laplacian(v)", "-"), problem.times("q", q, "v"), problem.times("q2", back * q * V / U, "u", "-")]
    problem.equations(first, second)
    walls(problem, draw, True, fields=("u", "v"))
    return problem


def mixed_poisson(draw):
    """The potential and its two fluxes, of first order. Two opposite sides may have the flux across them instead of the potential."""
    sizes = Sizes(draw)
    axes = space(draw, sizes, 2)
    problem = Problem("Potential and fluxes", sizes, axes, ("u", "p", "q"))
    exact = mixture(draw, axes, sizes.field)
    problem.solve_for("u", exact)
    for field, letter in (("p", "x"), ("q", "y")):
        problem.solve_for(field, Exact(f"-d(exact_u, {letter})", axes, exact.half_waves, exact.pieces))
    problem.balance(draw, reach(problem, draw) ** 2)
    problem.equations([problem.times("a", 1, "p_x"), problem.times("a", 1, "q_y")])
    problem.term("fluxes", ["p + u_x = 0", "q + u_y = 0"], problem.terms["pde"]["points"])
    sealed = draw.pick((None, None, "x", "y"))
    for axis, flux in zip(axes, "pq"):
        kind = "neumann" if sealed == axis.name else "dirichlet"
        problem.condition(f"sides_{axis.name}", kind, axis.faces(), [flux if kind == "neumann" else "u"])
    return problem


def stokes(draw):
    """Slow flow, made from a stream function; the pressure is given in a corner."""
    sizes = Sizes(draw)
    axes = space(draw, sizes, 2)
    problem = Problem("Stokes flow", sizes, axes, ("u", "v", "p"))
    stream = mixture(draw, axes, 1)
    problem.define["stream"] = stream.formula
    ell = min(axis.length for axis in axes) / (math.pi * stream.half_waves)
    speed = text(rounded(sizes.field * ell, 3))
    for field, flow in (("u", f"{speed}*d(stream, y)"), ("v", f"-{speed}*d(stream, x)")):
        problem.solve_for(field, Exact(flow, axes, stream.half_waves, stream.pieces))
    nu = problem.constants["nu"] = rounded(draw.log(0.1, 10) * sizes.coefficient, 3)
    problem.solve_for("p", mixture(draw, axes, nu * sizes.field / ell))
    problem.equations(["+ p_x", "- nu*laplacian(u)"], ["+ p_y", "- nu*laplacian(v)"])
    problem.term("incompressible", ["u_x + v_y = 0"], problem.terms["pde"]["points"])
    problem.condition("walls", "dirichlet", "boundary", ["u", "v"])
    level(problem, ("p",))
    return problem


KINDS = {reaction_diffusion: 3, first_order_wave: 2, schroedinger: 1.5, predators: 1, epidemic: 1, coupled_springs: 1,
         coupled_elliptic: 1.5, mixed_poisson: 1, stokes: 1.5}


def system(draw):
    return draw.weighted(KINDS)(draw)
