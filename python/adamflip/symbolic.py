"""Equations written with sympy, in the notation of problem files."""

from __future__ import annotations

import sys
from typing import Any

from .errors import InputError


def is_symbolic(value: object) -> bool:
    """Whether a value is an expression of sympy. Does not import sympy."""
    sympy = sys.modules.get("sympy")
    return sympy is not None and isinstance(value, sympy.Basic)


def equation(value: Any, coordinates: list[str]) -> str:
    """The text of an equation: ``Eq(left, right)``, or an expression that is to be zero.

    >>> import sympy as sp
    >>> x, t = sp.symbols("x t")
    >>> u = sp.Function("u")(x, t)
    >>> equation(sp.Eq(u.diff(t) + u * u.diff(x), u.diff(x, 2) / 100), ["x", "t"])
    'u*d(u, x) + d(u, t) = d(u, x, x)/100'
    """
    import sympy  # type: ignore[import-untyped,unused-ignore]

    if isinstance(value, sympy.Equality):
        return f"{text(value.lhs, coordinates)} = {text(value.rhs, coordinates)}"
    if isinstance(value, sympy.logic.boolalg.BooleanAtom):
        raise InputError(
            "the equation is true or false whatever the fields are",
            "sympy has compared both sides: write Eq(left, right, evaluate=False)",
        )
    return f"{text(value, coordinates)} = 0"


def text(value: Any, coordinates: list[str]) -> str:
    """The text of an expression."""
    import sympy  # type: ignore[import-untyped,unused-ignore]
    from sympy.printing.str import StrPrinter  # type: ignore[import-untyped,unused-ignore]

    class Printer(StrPrinter):  # type: ignore[misc,unused-ignore]
        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            return str(super()._print_Pow(expr, rational=rational)).replace("**", "^")

        def _print_Exp1(self, expr: Any) -> str:
            return "exp(1)"

        def _print_Derivative(self, expr: Any) -> str:
            by = [self._print(symbol) for symbol, count in expr.variable_count for _ in range(int(count))]
            return f"d({', '.join([self._print(expr.expr), *by])})"

        def _print_Subs(self, expr: Any) -> str:
            raise InputError(
                f"`{expr}` is a derivative at another point, which equations cannot name",
                "give the term a place: on='x = 0'",
            )

        def _print_Function(self, expr: Any) -> str:
            name = expr.func.__name__
            names = [str(argument) for argument in expr.args]
            if isinstance(expr, sympy.core.function.AppliedUndef):
                depends = [name for name in coordinates if name in names]
                # u(x, t) is the field itself; u(0, t) is its value elsewhere.
                if names == depends:
                    return str(name)
            arguments = ", ".join(self._print(argument) for argument in expr.args)
            return f"{_NAMES.get(name, name)}({arguments})"

        def _print_Integral(self, expr: Any) -> str:
            inner = self._print(expr.function)
            for limits in expr.limits:
                inner = f"integral({', '.join([inner, *map(self._print, limits)])})"
            return str(inner)

        def _print_Piecewise(self, expr: Any) -> str:
            parts: list[str] = []
            for value, condition in expr.args:
                if condition != sympy.true:
                    parts.append(self._print(condition))
                parts.append(self._print(value))
            if len(parts) % 2 == 0:
                raise InputError(
                    f"`{expr}` has no value where no condition holds", "end Piecewise with (value, True)"
                )
            return f"where({', '.join(parts)})"

        def _print_And(self, expr: Any) -> str:
            return " and ".join(sorted(self._print(argument) for argument in expr.args))

        def _print_Or(self, expr: Any) -> str:
            return " or ".join(sorted(self._print(argument) for argument in expr.args))

        def _print_Heaviside(self, expr: Any) -> str:
            return f"where({self._print(expr.args[0])} < 0, 0, 1)"

    return str(Printer().doprint(sympy.sympify(value)))


_NAMES = {"Abs": "abs", "Max": "max", "Min": "min"}
