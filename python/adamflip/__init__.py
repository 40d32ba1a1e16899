"""Differential equations solved by neural networks whose conditions are constraints.

>>> import adamflip as af
>>> p = af.Problem("u", x=(0, 1))
>>> p.term("ode", "u_x = -u", points=50)
>>> p.term("start", "u = 1", on="x = 0")
>>> run = p.solve(budget="20s")  # doctest: +SKIP
>>> run.u(x=[0, 0.5, 1])  # doctest: +SKIP
array([1.        , 0.60653066, 0.36787944])
"""

from __future__ import annotations

from ._adamflip import __version__
from .batch import compare, sweep
from .errors import Error, InputError, KeywordError, MissingPackage, NotSolved, ProblemError, RunFailure
from .optimize import Minimum, Step, methods, minimize
from .problem import Check, Problem, load
from .run import Field, Run, open
from .shapes import Ball, Box, Disk, Ellipse, Polygon, Shape

__all__ = [
    "Ball",
    "Box",
    "Check",
    "Disk",
    "Ellipse",
    "Error",
    "Field",
    "InputError",
    "KeywordError",
    "Minimum",
    "MissingPackage",
    "NotSolved",
    "Polygon",
    "Problem",
    "ProblemError",
    "Run",
    "RunFailure",
    "Shape",
    "Step",
    "__version__",
    "compare",
    "load",
    "methods",
    "minimize",
    "open",
    "sweep",
]
