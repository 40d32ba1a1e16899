"""Problems of Hock and Schittkowski (1981) in plain floats, operation by operation as in the Rust tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    start: list[float]
    solution: list[float]
    fun: Callable[[Vector], tuple[float, list[float]]]
    constraints: Callable[[Vector], tuple[list[float], list[list[float]]]]
    bounds: bool = False
    """Do the constraints ask for at most zero?"""
    residuals: Callable[[Vector], tuple[list[float], list[list[float]]]] | None = None
    """Where f is a sum of squares."""


def hs6_fun(x: Vector) -> tuple[float, list[float]]:
    a, _ = x.tolist()
    return (a - 1.0) * (a - 1.0), [2.0 * (a - 1.0), 0.0]


def hs6_constraints(x: Vector) -> tuple[list[float], list[list[float]]]:
    a, b = x.tolist()
    return [10.0 * (b - a * a)], [[-20.0 * a, 10.0]]


def hs7_fun(x: Vector) -> tuple[float, list[float]]:
    a, b = x.tolist()
    square = a * a + 1.0
    return log(square) - b, [2.0 * a / square, -1.0]


def hs7_constraints(x: Vector) -> tuple[list[float], list[list[float]]]:
    a, b = x.tolist()
    square = a * a + 1.0
    return [square * square + b * b - 4.0], [[4.0 * square * a, 2.0 * b]]


def hs39_fun(x: Vector) -> tuple[float, list[float]]:
    return -float(x[0]), [-1.0, 0.0, 0.0, 0.0]


def hs39_constraints(x: Vector) -> tuple[list[float], list[list[float]]]:
    a, b, c, d = x.tolist()
    h = [b - a * a * a - c * c, a * a - b - d * d]
    return h, [[-3.0 * a * a, 1.0, -2.0 * c, 0.0], [2.0 * a, -1.0, 0.0, -2.0 * d]]


def hs35_fun(x: Vector) -> tuple[float, list[float]]:
    r, s, t = hs35_residuals(x)[0]
    return r * r + s * s + t * t, [2.0 * r + 2.0 * s, 2.0 * s + 2.0 * t, 2.0 * r]


def hs35_residuals(x: Vector) -> tuple[list[float], list[list[float]]]:
    a, b, c = x.tolist()
    return [a + c - 2.0, a + b - 2.0, b - 1.0], [[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]


def hs35_bounds(x: Vector) -> tuple[list[float], list[list[float]]]:
    a, b, c = x.tolist()
    rows = [[1.0, 1.0, 2.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]
    return [a + b + 2.0 * c - 3.0, -a, -b, -c], rows


def hs6_residuals(x: Vector) -> tuple[list[float], list[list[float]]]:
    """f of hs6 as the square of one residual."""
    a, _ = x.tolist()
    return [a - 1.0], [[1.0, 0.0]]


PROBLEMS = {
    "hs6": Problem([-1.2, 1.0], [1.0, 1.0], hs6_fun, hs6_constraints, residuals=hs6_residuals),
    "hs7": Problem([2.0, 2.0], [0.0, 3.0**0.5], hs7_fun, hs7_constraints),
    "hs39": Problem([2.0] * 4, [1.0, 1.0, 0.0, 0.0], hs39_fun, hs39_constraints),
    "hs35": Problem([0.5] * 3, [4 / 3, 7 / 9, 4 / 9], hs35_fun, hs35_bounds, True, hs35_residuals),
}
