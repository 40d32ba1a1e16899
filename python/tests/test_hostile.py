"""Random calls with wrong types, shapes and sizes: exceptions of Python, never a crash. Long form: ADAMFLIP_CALLS=100000."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import numpy as np

import adamflip as af

CALLS = int(os.environ.get("ADAMFLIP_CALLS", "300"))
VALUES: list[Any] = [
    None, True, 0, -1, 10**30, 1.5, math.nan, math.inf, "", "u", "x", "u_x = 1", "\x00", "é" * 50, "x = 0", [], [1, "a"],
    (), (0, 1), (1, 0), {}, {"x": 1}, {"x": np.zeros(3), "u": np.zeros(3)}, {"x": np.zeros((2, 2))}, {"x": [np.nan]}, b"bytes",
    object(), lambda: None, np.zeros(0), np.zeros((3, 2)), np.array(["a"]), np.float64(2), np.int64(3), 1j, ["u", "v"],
]  # fmt: skip
FINE = (af.Error, TypeError, ValueError, AttributeError, OverflowError, ImportError, OSError, KeyError)


def test_hostile_calls() -> None:
    random.seed(0)
    base = af.Problem("u", x=(0, 1), network={"hidden": "1x3"})
    base.term("ode", "u_x = -u", points=5)
    base.term("start", "u = 1", on="x = 0")
    run = base.solve(steps=2, progress=False)

    def problem(value: Any, other: Any) -> object:
        p = af.Problem(value, x=other)
        p.term("a", other, on=value)
        return p.check()

    def term(value: Any, other: Any) -> object:
        p = af.Problem("u", x=(0, 1), network={"hidden": "1x3"})
        p.term("a", "u = 1", **{random.choice(["points", "data", "role", "weight", "on", "none"]): value})
        p.set(train={"seed": other})
        return p.check()

    def minimize(value: Any, other: Any) -> object:
        return af.minimize(lambda x: value, other, steps=2)

    calls = [
        problem,
        term,
        minimize,
        lambda value, other: run.u(x=value),
        lambda value, other: run(value, x=other),
        lambda value, other: run.grid(x=value if not isinstance(value, int) else min(value, 9)),
        lambda value, other: run.export(value),
        lambda value, other: af.load(value),
        lambda value, other: af.open(value),
        lambda value, other: base.solve(steps=1, seed=value, out=other, progress=False),
        lambda value, other: af.Disk(value, other) - af.Disk(other, value),
    ]
    for _ in range(CALLS):
        call, value, other = random.choice(calls), random.choice(VALUES), random.choice(VALUES)
        try:
            call(value, other)
        except FINE:
            pass
