"""Shapes as objects: ``plate - hole``, ``left + right``, ``disk & half``.

A shape is a part of the plane or of space. Joined shapes are expressions over named ones; a problem
takes them with ``inside=``, and a term holds on the boundary of a shape with ``on=``.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Union

from .errors import InputError

__all__ = ["Ball", "Box", "Disk", "Ellipse", "Polygon", "Shape"]

_numbers = itertools.count(1)

Number = Union[int, float, str]


class Shape:
    """A shape, or several joined by ``+`` (union), ``-`` (difference) and ``&`` (intersection)."""

    def __init__(self, expression: str, parts: Mapping[str, Mapping[str, Any]], *, joined: bool) -> None:
        self.expression = expression
        self.parts = dict(parts)
        self._joined = joined

    def _join(self, sign: str, other: Shape) -> Shape:
        if not isinstance(other, Shape):
            raise InputError(
                f"a shape is joined with shapes, not with {type(other).__name__}", "for example af.Disk((0, 0), 1)"
            )
        for name in self.parts.keys() & other.parts.keys():
            if self.parts[name] != other.parts[name]:
                raise InputError(f"two different shapes are called `{name}`", "give one another name=")
        sides = [f"({side.expression})" if side._joined else side.expression for side in (self, other)]
        return Shape(f" {sign} ".join(sides), {**self.parts, **other.parts}, joined=True)

    def __add__(self, other: Shape) -> Shape:
        return self._join("+", other)

    def __sub__(self, other: Shape) -> Shape:
        return self._join("-", other)

    def __and__(self, other: Shape) -> Shape:
        return self._join("&", other)

    def __str__(self) -> str:
        return self.expression

    def __repr__(self) -> str:
        return f"<Shape {self.expression}>"


class _Named(Shape):
    def __init__(
        self, kind: str, value: Any, name: str | None, axes: Sequence[str] | None
    ) -> None:
        name = name if name is not None else f"{kind}{next(_numbers)}"
        keys: dict[str, Any] = {kind: value}
        if axes is not None:
            keys["axes"] = _list("axes", axes, '["x", "y"]')
        super().__init__(name, {name: keys}, joined=False)


def _list(name: str, value: Any, example: str) -> list[Any]:
    """The entries of an argument that must have some."""
    try:
        return list(value)
    except TypeError:
        raise InputError(f"`{name}` of a shape is {value!r}, not a list", f"write {name}={example}") from None


class Disk(_Named):
    """A disk in the plane.

    >>> Disk((0, 0), 1, name="plate") - Disk((0, 0), 0.5, name="hole")
    <Shape plate - hole>
    """

    def __init__(
        self,
        center: Sequence[Number],
        radius: Number,
        *,
        name: str | None = None,
        axes: Sequence[str] | None = None,
    ) -> None:
        super().__init__("disk", {"center": _list("center", center, "(0, 0)"), "radius": radius}, name, axes)


class Ball(_Named):
    """A ball in any number of dimensions."""

    def __init__(
        self,
        center: Sequence[Number],
        radius: Number,
        *,
        name: str | None = None,
        axes: Sequence[str] | None = None,
    ) -> None:
        center = _list("center", center, "(0, 0, 0)")
        super().__init__("ball", {"center": center, "radius": radius}, name, axes)


class Ellipse(_Named):
    """An ellipse in the plane; the angle is in radians."""

    def __init__(
        self,
        center: Sequence[Number],
        radii: Sequence[Number],
        angle: Number | None = None,
        *,
        name: str | None = None,
        axes: Sequence[str] | None = None,
    ) -> None:
        center, radii = _list("center", center, "(0, 0)"), _list("radii", radii, "(2, 1)")
        value: dict[str, Any] = {"center": center, "radii": radii}
        if angle is not None:
            value["angle"] = angle
        super().__init__("ellipse", value, name, axes)


class Polygon(_Named):
    """A polygon by its corners."""

    def __init__(
        self,
        corners: Sequence[Sequence[Number]],
        *,
        name: str | None = None,
        axes: Sequence[str] | None = None,
    ) -> None:
        example = "[(0, 0), (1, 0), (0, 1)]"
        corners = [_list("corners", corner, example) for corner in _list("corners", corners, example)]
        super().__init__("polygon", corners, name, axes)


class Box(_Named):
    """A box by the ranges of its coordinates: ``Box(x=(0, 1), y=(0, 2))``."""

    def __init__(self, *, name: str | None = None, **ranges: Sequence[Number]) -> None:
        value = {axis: _list(axis, ends, "(0, 1)") for axis, ends in ranges.items()}
        super().__init__("box", value, name, None)
