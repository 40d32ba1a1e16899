"""Calls of everything public with wrong types, shapes and sizes: exceptions of Python, never a crash or a panic.

The calls are drawn by hypothesis, the same in every run. The long form, outside of the tests of every change:
``ADAMFLIP_CALLS=100000 pytest python/tests/test_hostile.py``. A call is noted in ``calls.txt`` of the folder that
``ADAMFLIP_NOTES`` names before it is made, so that one that ends the process is known.
"""

from __future__ import annotations

import copy
import math
import os
import pickle
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

import adamflip as af

CALLS = int(os.environ.get("ADAMFLIP_CALLS", "300"))
NOTES = os.environ.get("ADAMFLIP_NOTES")
#: What wrong calls may raise. A panic is a ``BaseException``, and none of these.
FINE = (af.Error, TypeError, ValueError, AttributeError, OverflowError, ImportError, OSError, KeyError, MemoryError)

NAMES = ["u", "v", "x", "t", "ode", "start", "k", "", "u_x", "plan", "adam", "adamflip", "newtonflip", "lbfgs", "\x00"]
TEXTS = [
    "u_x = -u", "x = 0", "u = ", "sin(", "1e999", "u_xxxxxxx = 0", "u(u(x)) = 1", "reference", "rms < 1e-3", "2m", "-3s",
    "1x3", "999999x999999", "é" * 50, "a\nb", "\ud800", "x" * 10_000, "(" * 500, "1e-4..1e-2", "[", '"', "#",
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 3, 10**9, 2**31, 2**63, 2**64, 10**30, 0.5, -0.0, 1e308, math.nan, math.inf, -math.inf, 1j]
LOOP: list[Any] = []
LOOP.append(LOOP)
ODD = [None, True, False, object(), lambda *_: None, len, b"bytes", Path("a"), range(3), LOOP, type, NotImplemented, ...]

numbers = st.sampled_from(NUMBERS) | st.integers(-5, 5) | st.floats()
# Names and texts have no slash: a file must not be written elsewhere.
texts = st.sampled_from(NAMES + TEXTS) | st.text(st.characters(exclude_characters="/\\"), max_size=12)
scalars = numbers | texts | st.sampled_from(ODD) | st.builds(np.float64, st.floats()) | st.builds(np.int8, st.just(3))
tables = arrays.arrays(
    st.sampled_from([np.float64, np.float32, np.int8, np.bool_, np.complex128, np.dtype("U2"), np.dtype("M8[s]")]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
views = st.builds(lambda a: a[::-1].T, arrays.arrays(np.float64, arrays.array_shapes(min_dims=1, max_side=4)))
anything = st.recursive(
    scalars | tables | views,
    lambda inner: st.lists(inner, max_size=3)
    | st.tuples(inner, inner)
    | st.dictionaries(st.sampled_from(NAMES) | numbers.filter(lambda x: x == x), inner, max_size=3),
    max_leaves=6,
)

SECTIONS = ["constants", "unknowns", "define", "inside", "reference", "network", "train", "title", "name", "x", "k"]
TERM = ["points", "data", "role", "weight", "on", "none", "tolerance", "columns", "cloud", "observe", "noise", "form"]
CHOICES = ["budget", "method", "finish", "seed", "start", "profile", "set", "threads", "stpes"]
MINIMISE = [
    "method", "jac", "residuals", "tol", "feasibility", "callback", "lr", "gain", "steeps", "inequalities", "inequality",
]  # fmt: skip
CURVED = {"newtonflip", "gauss_newton", "newton_rows", "newton_cg"}
SHAPES = [af.Disk, af.Ball, af.Ellipse, af.Polygon]


def small() -> af.Problem:
    p = af.Problem("u", x=(0, 1), network={"hidden": "1x3"})
    p.term("ode", "u_x = -u", points=5)
    p.term("start", "u = 1", on="x = 0")
    return p


class World:
    """What the calls are made on: a problem, a run, and a run whose folder is gone."""

    def __init__(self) -> None:
        self.problem = small()
        self.run = self.problem.solve(steps=2, progress=False)
        shutil.copytree(self.run.path, "gone")
        self.gone = af.open("gone")
        shutil.rmtree("gone")
        self.kept = self.run.path.with_name("kept")
        shutil.copytree(self.run.path, self.kept)

    def runs(self, choice: int) -> af.Run:
        return self.gone if choice % 4 == 0 else self.run

    # Problems

    def constructs(self, a: Any, b: Any, c: Any, n: int) -> object:
        p = af.Problem(a, **{SECTIONS[n % len(SECTIONS)]: b, "t": c})
        return p.to_toml(), p.check()

    def adds_a_term(self, a: Any, b: Any, c: Any, n: int) -> object:
        p = small()
        p.term(a, b, **{TERM[n % len(TERM)]: c})
        return p.to_toml(), p.check()

    def gives_data(self, a: Any, b: Any, c: Any, n: int) -> object:
        p = small()
        p.term("seen", data={"x": a, "u": b} if n % 3 else c)
        return p.check()

    def sets(self, a: Any, b: Any, c: Any, n: int) -> object:
        p = small()
        p.set(**{SECTIONS[n % len(SECTIONS)]: {"hidden" if n % 2 else "seed": b, str(c)[:20]: a}})
        return str(p), repr(p), p._repr_html_()

    def is_read_again(self, a: Any, b: Any, c: Any, n: int) -> object:
        p = small()
        p.set(constants={str(a)[:9]: b}, define={str(c)[:9]: b})
        p.save("again.toml")
        assert af.load("again.toml").to_toml() == p.to_toml()
        return None

    def loads(self, a: Any, b: Any, c: Any, n: int) -> object:
        return (af.load if n % 2 else af.open)(a)

    def checks(self, a: Any, b: Any, c: Any, n: int) -> object:
        return self.problem.check(**{CHOICES[n % len(CHOICES)]: a})

    def joins(self, a: Any, b: Any, c: Any, n: int) -> object:
        shape = SHAPES[n % len(SHAPES)](a, *([] if n % 4 == 3 else [b]), name="s" if n % 2 else None) - af.Box(x=c)
        p = small()
        p.term("edge", "u = 0", on=shape)
        return p.check()

    def is_copied(self, a: Any, b: Any, c: Any, n: int) -> object:
        return [copy.deepcopy, copy.copy, pickle.dumps][n % 3](self.problem if n % 2 else self.run)

    # Runs

    def evaluates(self, a: Any, b: Any, c: Any, n: int) -> object:
        return self.runs(n).u(x=a) if n % 2 else self.runs(n)(a, x=b)

    def names_coordinates(self, a: Any, b: Any, c: Any, n: int) -> object:
        return self.runs(n).u(**{str(a)[:9]: b, "x": c}) if n % 2 else getattr(self.runs(n), str(a)[:9])(x=b)

    def grids(self, a: Any, b: Any, c: Any, n: int) -> object:
        return self.runs(n).grid(*([] if n % 3 else [b]), x=a)

    def looks(self, a: Any, b: Any, c: Any, n: int) -> object:
        names = ["summary", "status", "history", "unknowns", "certificate", "estimate", "__str__", "__repr__"]
        value = getattr(self.runs(n), names[n % len(names)])
        return value() if callable(value) else value

    def exports(self, a: Any, b: Any, c: Any, n: int) -> object:
        name = f"{a}"[:9] + ["", ".npz", ".csv", ".vti", ".onnx"][n % 5] if isinstance(a, str) else a
        return self.runs(n).export(name)

    # Our methods on functions

    def minimises(self, a: Any, b: Any, c: Any, n: int) -> object:
        return af.minimize(lambda x: a, b, steps=2, **{MINIMISE[n % len(MINIMISE)]: c})

    def constrains(self, a: Any, b: Any, c: Any, n: int) -> object:
        method = af.methods()[n % len(af.methods())]
        both = {"h": lambda x: (a, b), str(c)[:9]: lambda x: (x, np.eye(2))}
        constraints = both if n % 2 else lambda x: (a, b)
        return af.minimize(lambda x: (float(x @ x), 2 * x), [1.0, 2.0], constraints, method, steps=2)

    def bounds(self, a: Any, b: Any, c: Any, n: int) -> object:
        method = af.methods()[n // 2 % len(af.methods())]
        both = {"g": lambda x: (a, b), str(c)[:9]: lambda x: (-x, -np.eye(2))}
        bounds = both if n % 2 else lambda x: (a, b)
        squares = {"residuals": lambda x: (x, np.eye(2))} if method in CURVED else {}
        fun = None if squares else lambda x: (float(x @ x), 2 * x)
        return af.minimize(fun, [1.0, 2.0], method=method, inequalities=bounds, steps=2, **squares)

    def fits(self, a: Any, b: Any, c: Any, n: int) -> object:
        constraints = None if n % 2 else lambda x: (c, b)
        return af.minimize(None, [1.0, 2.0], constraints, residuals=lambda x: (a, b), steps=2)

    # What takes long: a few of all calls

    def draws(self, a: Any, b: Any, c: Any, n: int) -> object:
        import matplotlib.pyplot

        try:
            return self.runs(n).plot(a if n % 2 else None, **({} if n % 3 else {str(b)[:9]: c}))
        finally:
            matplotlib.pyplot.close("all")

    def solves(self, a: Any, b: Any, c: Any, n: int) -> object:
        choices = {CHOICES[n % len(CHOICES)]: a, "out": b} if n % 2 else {CHOICES[n % len(CHOICES)]: a}
        return small().solve(steps=1, progress=False, **choices)

    def calls_back(self, a: Any, b: Any, c: Any, n: int) -> object:
        return small().solve(steps=2, progress=False, callback=a if n % 2 else lambda moment: a)

    def resumes(self, a: Any, b: Any, c: Any, n: int) -> object:
        run = af.open(self.kept) if n % 4 else self.gone
        steps = a if isinstance(a, int) and abs(a) < 9 else None
        return run.resume(**{["budget", "threads", "callback", "bugdet"][n % 4]: b}, steps=steps, progress=False)

    def compares(self, a: Any, b: Any, c: Any, n: int) -> object:
        if n % 2:
            return af.compare(a, b, seeds=c, steps=1, out="compared", progress=False)
        return af.sweep(a, b, metric=c, steps=1, out="swept", progress=False)


QUICK: list[Callable[..., object]] = [
    World.constructs, World.adds_a_term, World.gives_data, World.sets, World.is_read_again, World.loads, World.checks,
    World.joins, World.is_copied, World.evaluates, World.names_coordinates, World.grids, World.looks, World.exports,
    World.minimises, World.constrains, World.bounds, World.fits,
]  # fmt: skip
SLOW = [World.draws, World.solves, World.calls_back, World.resumes, World.compares]


def test_hostile_calls() -> None:
    world = World()
    note = Path(NOTES, "calls.txt") if NOTES else None

    # One call in a hundred is one of those that take long.
    @seed(0)
    @settings(max_examples=CALLS, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 99), st.integers(0, 10**6), anything, anything, anything)
    def calls(share: int, n: int, a: Any, b: Any, c: Any) -> None:
        call = SLOW[n % len(SLOW)] if share == 99 else QUICK[n % len(QUICK)]
        if note:
            note.write_text(ascii((call.__name__, n, a, b, c)))
        try:
            call(world, a, b, c, n // 17)
        except FINE:
            pass

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        calls()
    # What all of them were made on is as it was.
    assert np.isfinite(world.run.u(x=[0.0, 0.5, 1.0])).all()
