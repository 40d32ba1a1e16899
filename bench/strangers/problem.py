"""A problem file in the making: names, terms, features; and its text."""

import re

from draw import clamp, nearest, rounded, text


class Problem:
    """What will stand in the file. Methods add to it and return names for use in equations."""

    def __init__(self, title, sizes, axes, fields=("u",)):
        self.title, self.sizes, self.axes, self.fields = title, sizes, axes, list(fields)
        self.inside, self.shapes, self.constants, self.unknowns, self.define = None, {}, {}, {}, {}
        self.terms, self.conditions, self.exact, self.free = {}, [], {}, False
        self.lead = 1.0

    @property
    def half_waves(self):
        return max(exact.half_waves for exact in self.exact.values())

    @property
    def space(self):
        return [axis for axis in self.axes if axis.name != "t"]

    def solve_for(self, field, exact):
        """Names the exact solution of a field."""
        self.exact[field] = exact
        self.define[self.name(field)] = exact.formula

    def name(self, field):
        return "exact" if len(self.fields) == 1 else f"exact_{field}"

    def times(self, name, value, term, sign="+"):
        """A summand of an equation: a constant times a term. The sizes of all coefficients grow together, as units have it."""
        value = rounded(value * self.lead * self.sizes.coefficient, 3)
        if value == 1:
            return f"{sign} {term}"
        self.constants[name] = value
        return f"{sign} {name}*{term}"

    def balance(self, draw, factor):
        """Steady equations: in half of them the coefficients make the terms as large as the field, in the others the leading one is 1."""
        if draw.chance(0.5):
            self.lead = factor * draw.log(0.1, 10)

    def ratio(self, top, bottom):
        """The ratio of two coefficients as they stand in the file, where a coefficient of one is not written."""
        above = top if top in self.constants else "1"
        return f"{above}/{bottom}" if bottom in self.constants else above

    def known(self, formula):
        """The formula with the exact solutions in place of the fields, the truth in place of the unknowns."""
        fields = "|".join(self.fields)

        def replaced(found):
            name = self.name(found.group(1))
            letters = (found.group(2) or "_")[1:]
            return f"d({', '.join([name, *letters])})" if letters else name

        formula = re.sub(rf"\b({fields})(_[a-z]+)?\b", replaced, formula)
        for unknown, about in self.unknowns.items():
            formula = re.sub(rf"\b{unknown}\b", text(about["truth"]), formula)
        return formula

    def equations(self, *lefts, points=None, role=None, name="pde"):
        """The differential equations: what stands on the left, with the source that makes the exact solution solve it."""
        written = []
        for number, summands in enumerate(lefts):
            left = joined(summands)
            source = "0"
            if not self.free:
                source = "source" if len(lefts) == 1 else f"source_{number + 1}"
                self.define[source] = self.known(left)
            written.append(f"{left} = {source}")
        self.term(name, written, points or self.inner_points(), role=role)

    def inner_points(self):
        """As many as a user would take: more in more dimensions, and for shorter waves."""
        least, most, each = {1: (200, 1000, 50), 2: (500, 2000, 150), 3: (1500, 3000, 250)}[len(self.axes)]
        return clamp(nearest(least + each * (self.half_waves - 1), 100), least, most)

    def edge_points(self, places=1):
        if len(self.axes) == 1:
            return places
        least, most, each = {2: (50, 200, 15), 3: (200, 400, 20)}[len(self.axes)]
        return clamp(nearest(least + each * (self.half_waves - 1), 50), least, most)

    def term(self, name, equations, points, on=None, role=None):
        self.terms[name] = {"on": on, "equation": equations, "points": points, "role": role}

    def condition(self, name, kind, on, lefts, points=None):
        """A condition that the exact solution meets: `lefts` are its left sides."""
        self.conditions.append(kind)
        written = [f"{left} = {self.known(left)}" for left in lefts]
        places = len(on) if isinstance(on, list) else 1
        self.term(name, written, points or self.edge_points(places), on)

    def features(self):
        sizes = {name: getattr(self.sizes, name) for name in self.sizes.NAMES}
        return self.unknown_features() | {
            "title": self.title, "coordinates": len(self.axes), "fields": len(self.fields),
            "half_waves": self.half_waves, "sizes": sizes, "scaled": self.sizes.scaled,
            "conditions": sorted(set(self.conditions)), "source": not self.free,
            "pieces": sorted({piece for exact in self.exact.values() for piece in exact.pieces}),
        }

    def unknown_features(self):
        if not self.unknowns:
            return {}
        truths = {name: about["truth"] for name, about in self.unknowns.items()}
        return {"unknowns": truths, "noise": self.terms["data"]["noise"] or 0}

    def written(self, comment):
        """The text of the file."""
        parts = [f"# {line}" for line in comment]
        parts += [f'title  = "{self.title}"', f"fields = {quoted(self.fields)}", "", "[domain]"]
        parts += [f"{axis.name} = [{text(axis.low)}, {text(axis.high)}]" for axis in self.axes]
        if self.inside:
            parts += [f'inside = "{self.inside}"', "", "[shapes]"]
            parts += [f"{name} = {shape}" for name, shape in self.shapes.items()]
        parts += section("constants", {name: text(value) for name, value in self.constants.items()})
        parts += section("define", {name: f'"{formula}"' for name, formula in self.define.items()})
        parts += section("unknowns", {name: unknown(about) for name, about in self.unknowns.items()})
        for name, term in self.terms.items():
            parts += section(f"term.{name}", {key: value_text(key, value) for key, value in term.items() if value is not None})
        parts += section("reference", {field: f'"{self.name(field)}"' for field in self.fields})
        return "\n".join(parts) + "\n"


def sine(problem):
    """The sine of the field, whose size need not be one."""
    if problem.sizes.field == 1:
        return "sin(u)"
    problem.constants["scale"] = problem.sizes.field
    return "sin(u/scale)"


def joined(summands):
    """Signed summands as one side of an equation."""
    side = " ".join(summand for summand in summands if summand)
    return side[2:] if side.startswith("+ ") else re.sub(r"^- ", "-", side)


def section(name, entries):
    if not entries:
        return []
    width = max(map(len, entries))
    return ["", f"[{name}]", *(f"{key:<{width}} = {value}" for key, value in entries.items())]


def unknown(about):
    low, high = about["bounds"]
    return f"{{ start = {text(about['start'])}, bounds = [{text(low)}, {text(high)}], truth = {text(about['truth'])} }}"


def value_text(key, value):
    if key == "equation" and len(value) > 1:
        return "[\n" + "".join(f'  "{line}",\n' for line in value) + "]"
    if isinstance(value, list):
        return f'"{value[0]}"' if len(value) == 1 else quoted(value)
    return f'"{value}"' if isinstance(value, str) else text(value)


def quoted(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"
