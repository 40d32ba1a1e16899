"""Boundary and initial conditions that the exact solution meets and that leave no other."""

from draw import rounded, text

NAMES = {"dirichlet": "fixed", "neumann": "flux", "robin": "exchange"}


def periodic_axes(draw, names, chance=0.15):
    return [name for name in names if draw.chance(chance)]


def initial(problem, order=1, field="u"):
    """The field at the start, and its first derivatives by time below the order of the equation."""
    lefts = [field + ("_" + "t" * number if number else "") for number in range(order)]
    problem.condition("initial", "initial", "t = 0", lefts)


def start_all(problem):
    """Every field of a system at the start."""
    problem.condition("initial", "initial", "t = 0", problem.fields)


def ring(problem, axis, order, fields=("u",)):
    """The fields and their derivatives below the order of the equation agree at both ends."""
    other = ", ".join(text(axis.high) if each is axis else each.name for each in problem.axes)
    lefts = [field + ("_" + axis.name * number if number else "") for field in fields for number in range(order)]
    written = [f"{left} = {left}({other})" for left in lefts]
    problem.conditions.append("periodic")
    name = "ring" if len(problem.space) == 1 else f"ring_{axis.name}"
    problem.term(name, written, problem.edge_points(), axis.faces()[0])


def walls(problem, draw, anchored=False, kinds=None, fields=("u",)):
    """Second order in space: one condition on every side, of a kind drawn for it, and of the same kind for all in half of the cases.

    `anchored`: something else fixes the level already (time, or a term without derivatives), so that fluxes alone will do.
    """
    kinds = kinds or {"dirichlet": 5, "neumann": 2.5, "robin": 1.5}
    for axis in problem.space:
        if axis.periodic:
            ring(problem, axis, 2, fields)
    sides = [side for axis in problem.space if not axis.periodic for side in axis.faces()]
    chosen = choose(draw, sides, kinds, anchored)
    for kind, on in chosen.items():
        wall(problem, draw, kind, on, fields)
    if not anchored and not {"dirichlet", "robin"} & set(chosen):
        level(problem, fields)


def choose(draw, sides, kinds, anchored):
    """A kind for every side. Fluxes alone are rare where they leave the level open."""
    same = draw.weighted(kinds) if draw.chance(0.5) else None
    chosen = {}
    for side in sides:
        chosen.setdefault(same or draw.weighted(kinds), []).append(side)
    if set(chosen) == {"neumann"} and not anchored and draw.chance(0.6):
        chosen.setdefault("dirichlet", []).append(chosen["neumann"].pop())
        chosen = {kind: on for kind, on in chosen.items() if on}
    return chosen


def wall(problem, draw, kind, on, fields=("u",), name=None):
    lefts = {"dirichlet": "{0}", "neumann": "{0}_n", "robin": "{0}_n + h*{0}"}[kind]
    if kind == "robin":
        length = min(axis.length for axis in problem.space)
        problem.constants.setdefault("h", rounded(draw.log(0.3, 10) / length, 3))
    problem.condition(name or NAMES[kind], kind, on, [lefts.format(field) for field in fields])


def level(problem, fields=("u",)):
    """The value in a corner, where fluxes alone leave a constant open."""
    corner = " and ".join(axis.faces()[0] for axis in problem.space)
    problem.condition("level", "point", corner, list(fields), points=1)


def ends(problem, axis, order_low, order_high, fields=("u",)):
    """Conditions on derivatives of these orders at both ends of an axis: `[0, 1]` is clamped, `[0, 2]` supported."""
    for name, face, orders in zip(("left", "right"), axis.faces(), (order_low, order_high)):
        lefts = [field + ("_" + axis.name * order if order else "") for field in fields for order in orders]
        kind = "+".join(["value", "slope", "moment", "shear"][order] for order in orders)
        problem.condition(name, kind, face, lefts)
