"""The methods of this package on functions of numpy arrays: minimise f(x) subject to h(x) = 0 and g(x) ≤ 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _adamflip
from .errors import InputError

__all__ = ["Minimum", "Step", "methods", "minimize"]

Vector = NDArray[np.float64]
#: A function of x that returns a value and its derivatives, or one of both.
Function = Callable[[Vector], Any]


@dataclass(frozen=True, repr=False)
class Minimum:
    """The point that :func:`minimize` reached."""

    #: The point.
    x: Vector
    #: f(x).
    fun: float
    #: h(x), then g(x).
    constraints: Vector
    #: λ of least squares, one for each entry; of inequalities at least 0, and 0 where they are not active.
    multipliers: Vector
    #: ‖∇f + Jᵀλ‖₂, the residual of the optimality conditions.
    kkt: float
    #: The number of steps.
    nit: int
    #: The number of calls of ``fun`` or ``residuals``.
    nfev: int
    #: "converged", "stagnated", "infeasible", "max_steps", "not_finite" or "stopped".
    status: str
    #: The same as a sentence.
    message: str
    #: How many entries of ``constraints``, the last ones, are of inequalities.
    inequalities: int = 0

    @property
    def success(self) -> bool:
        """Do the optimality conditions and the constraints hold to the tolerance?"""
        return self.status == "converged"

    @property
    def violation(self) -> float:
        """‖h(x)‖₁, and what of g(x) is above zero."""
        first = self.constraints.size - self.inequalities
        equations, inequalities = self.constraints[:first], self.constraints[first:]
        return float(np.abs(equations).sum() + np.maximum(inequalities, 0.0).sum())

    @property
    def active(self) -> NDArray[np.bool_]:
        """Which inequalities have a multiplier."""
        return self.multipliers[self.multipliers.size - self.inequalities :] > 0.0

    def __repr__(self) -> str:
        def short(numbers: Vector) -> str:
            return np.array2string(numbers, precision=6, threshold=8, edgeitems=3, separator=", ")

        rows: dict[str, str] = {
            "message": self.message,
            "success": str(self.success),
            "status": self.status,
            "fun": f"{self.fun:.10g}",
            "x": short(self.x),
            "constraints": short(self.constraints),
            "multipliers": short(self.multipliers),
            "violation": f"{self.violation:.3g}",
            "kkt": f"{self.kkt:.3g}",
            "nit": str(self.nit),
            "nfev": str(self.nfev),
        }
        width = max(map(len, rows))
        indent = "\n" + " " * (width + 2)
        return "\n".join(f"{name:>{width}}: {text.replace(chr(10), indent)}" for name, text in rows.items())


@dataclass(frozen=True)
class Step:
    """What a callback sees after each step."""

    #: The point after the step.
    x: Vector
    #: The number of the step, from 1.
    nit: int
    #: f before the step.
    fun: float
    #: ‖h‖₁, and what of g is above zero, before the step.
    violation: float
    #: ‖∇f + Jᵀλ‖₂ before the step; NaN where the method has no multipliers.
    kkt: float
    #: The length of the step.
    step: float


def methods() -> list[str]:
    """The names of all methods.

    >>> "adamflip" in methods()
    True
    """
    return _adamflip.methods()


def minimize(
    fun: Function | None,
    x0: ArrayLike,
    constraints: Function | Mapping[str, Function] | None = None,
    method: str | None = None,
    *,
    jac: Function | Literal[True] = True,
    residuals: Function | None = None,
    inequalities: Function | Mapping[str, Function] | None = None,
    steps: int | None = None,
    tol: float = 1e-6,
    feasibility: float | None = None,
    callback: Callable[[Step], object] | None = None,
    **settings: Any,
) -> Minimum:
    """Minimises f(x) subject to h(x) = 0 and g(x) ≤ 0.

    Args:
        fun: ``fun(x) -> (f, gradient)``, or ``fun(x) -> f`` where ``jac`` is a function. None with
            ``residuals``.
        x0: the start.
        constraints: ``constraints(x) -> (h, J)`` with h of shape (m,) and J of shape (m, n). Each entry of h
            then has a weight or gain of its own. A dict of such functions makes one named constraint of each,
            whose entries share one: the residuals of one condition at many points.
        method: one of ``methods()``. By default "newtonflip" with ``residuals``, otherwise "trsqp" with
            constraints and "lbfgs" without.
        jac: True where ``fun`` returns the gradient too, or a function ``jac(x) -> gradient``.
        residuals: ``residuals(x) -> (r, J_r)`` in place of ``fun``: f = ‖r‖², whose curvature "newtonflip"
            and "gauss_newton" use.
        inequalities: ``inequalities(x) -> (g, J_g)``, which ask for g(x) ≤ 0 (SciPy's have the other sign), or
            a dict of such functions; all of it in the manner of ``constraints``.
        steps: the most steps; by default 300 for methods with curvature or quasi-Newton steps, 10,000 for
            the others.
        tol: the largest ‖∇f + Jᵀλ‖₂ of a solution.
        feasibility: the largest ``violation`` of a solution; by default ``tol``.
        callback: called with a :class:`Step` after each step; the run ends where it returns True or raises
            StopIteration.
        **settings: settings of the method, those of a stage in a problem file: ``lr=1e-2, gain=10``.

    Returns:
        The point with its multipliers and why the run ended. Exceptions of your functions come through.

    Raises:
        InputError: an argument, or what a function returned, is not what it should be.

    >>> def circle(x):
    ...     return x @ x - 1, 2 * x
    >>> result = minimize(lambda x: (x[0] + x[1], np.ones(2)), [0.5, -1.0], circle)
    >>> result.x.round(6).tolist()
    [-0.707107, -0.707107]
    >>> result.status
    'converged'

    Within the disk, with the same multiplier:

    >>> result = minimize(lambda x: (x[0] + x[1], np.ones(2)), [0.5, -1.0], inequalities=circle)
    >>> result.x.round(6).tolist(), result.active.tolist()
    ([-0.707107, -0.707107], [True])
    """
    objective, squares = _objective(fun, residuals)
    if jac is not True and not callable(jac):
        raise InputError(
            f"`jac` is {jac!r}, which is neither True nor a function",
            "these methods need gradients: let `fun` return (f, gradient), or give jac=gradient",
        )
    functions, bounds, names = _constraints(constraints, inequalities)
    name = _method(method, squares, bool(functions or bounds))
    try:
        values = _adamflip.minimize(
            objective,
            None if jac is True or squares else jac,
            squares,
            functions + bounds,
            len(bounds),
            names,
            _start(x0),
            name,
            settings,
            (
                _steps(steps, name),
                _tolerance("tol", tol),
                _tolerance("feasibility", tol if feasibility is None else feasibility),
            ),
            _watch(callback),
        )
    except OverflowError as error:
        raise InputError(f"a number is too large: {error}", "take fewer steps") from error
    x, value, h, multipliers, kkt, nit, nfev, status, message, entries = values
    return Minimum(x, value, h, multipliers, kkt, nit, nfev, status, message, entries)


def _objective(fun: Function | None, residuals: Function | None) -> tuple[Function, bool]:
    if (fun is None) == (residuals is None):
        raise InputError(
            "give either `fun` or `residuals`" + (", not both" if fun is not None else ""),
            "minimize(fun, x0, …), or minimize(None, x0, …, residuals=r) for f = ‖r‖²",
        )
    given = fun if residuals is None else residuals
    if not callable(given):
        label = "fun" if residuals is None else "residuals"
        raise InputError(f"`{label}` is not a function but {type(given).__name__}", "give a function of x")
    return given, residuals is not None


def _constraints(
    constraints: Function | Mapping[str, Function] | None,
    inequalities: Function | Mapping[str, Function] | None,
) -> tuple[list[Function], list[Function], list[str] | None]:
    """The functions of both kinds, and the names of all where they have some."""
    equations, names = _functions("constraints", constraints)
    bounds, more = _functions("inequalities", inequalities)
    if not equations or not bounds:
        return equations, bounds, names or more
    if (names is None) != (more is None) or (names and more and set(names) & set(more)):
        raise InputError(
            "`constraints` and `inequalities` must both be functions, or both dicts with names of their own",
            'write constraints={"walls": h}, inequalities={"obstacle": g}',
        )
    return equations, bounds, None if names is None or more is None else names + more


def _functions(
    label: str, given: Function | Mapping[str, Function] | None
) -> tuple[list[Function], list[str] | None]:
    if given is None:
        return [], None
    if isinstance(given, Mapping):
        for name, function in given.items():
            if not isinstance(name, str) or not callable(function):
                raise InputError(
                    f"the constraint {name!r} is not a function under a name", 'write {"name": h}'
                )
        return list(given.values()), list(given)
    if not callable(given):
        raise InputError(
            f"`{label}` is not a function but {type(given).__name__}",
            "give a function of x that returns (values, Jacobian), or a dict of such functions by name",
        )
    return [given], None


def _method(method: str | None, squares: bool, constrained: bool) -> str:
    if method is None:
        return "newtonflip" if squares else "trsqp" if constrained else "lbfgs"
    if not isinstance(method, str):
        raise InputError(f"`method` is {method!r}, not a name", f"the methods are {', '.join(methods())}")
    return method


def _start(x0: ArrayLike) -> Vector:
    try:
        start = np.array(x0, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"`x0` is not an array of numbers: {error}", "give a list or an array of floats"
        ) from error
    if start.ndim != 1 or start.size == 0:
        raise InputError(f"`x0` has the shape {start.shape}, not (n,)", "flatten the parameters: x0.ravel()")
    if not np.isfinite(start).all():
        raise InputError("`x0` has entries that are infinite or NaN", "start at finite numbers")
    return start


def _steps(steps: int | None, method: str) -> int:
    if steps is None:
        return 300 if _adamflip.takes_few_steps(method) else 10_000
    try:
        number = index(steps)
    except TypeError:
        number = 0
    if not 1 <= number < 2**53:
        raise InputError(f"`steps` is {steps!r}, not a whole number from 1", "write steps=1000")
    return number


def _tolerance(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not number >= 0.0:
        raise InputError(f"`{name}` is {value!r}, not a number from zero", f"write {name}=1e-6")
    return number


def _watch(
    callback: Callable[[Step], object] | None,
) -> Callable[[Vector, int, float, float, float, float], bool] | None:
    if callback is None:
        return None
    if not callable(callback):
        raise InputError(
            f"`callback` is not a function but {type(callback).__name__}", "give a function of a Step"
        )

    def watch(x: Vector, nit: int, fun: float, violation: float, kkt: float, step: float) -> bool:
        try:
            return not callback(Step(x, nit, fun, violation, kkt, step))
        except StopIteration:
            return False

    return watch
