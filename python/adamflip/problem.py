"""Problems: built in Python or loaded from a file, checked, printed as TOML, and solved."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _adamflip, _display, symbolic
from .errors import InputError
from .keywords import known_keywords, nearest
from .paths import path_of
from .shapes import Shape

if TYPE_CHECKING:
    from .run import Run

__all__ = ["Check", "Problem", "load"]

Number = Union[int, float, str]
Place = Union[str, Shape]

#: The keywords of a problem that are no coordinates.
KEYWORDS = (
    "name", "title", "constants", "unknowns", "define", "inside", "reference", "network", "train",
)  # fmt: skip


class Problem:
    """A differential equation with its conditions, data and unknowns.

    Fields come first, coordinates and their ranges as keywords, and everything else of a problem file
    by the name of its section. Terms are added by :meth:`term`.

    >>> p = Problem("u", x=(-1, 1), t=(0, 1), constants={"nu": "0.01/pi"})
    >>> p.term("pde", "u_t + u*u_x = nu*u_xx", points=2000)
    >>> p.term("initial", "u = -sin(pi*x)", on="t = 0")
    >>> p.term("walls", "u = 0", on=["x = -1", "x = 1"])
    >>> print(p)  # doctest: +ELLIPSIS
    fields = ["u"]
    ...
    """

    def __init__(
        self,
        fields: str | Sequence[str],
        *,
        name: str = "problem",
        title: str | None = None,
        constants: Mapping[str, Number | Sequence[Number]] | None = None,
        unknowns: Mapping[str, Number | Mapping[str, Any]] | None = None,
        define: Mapping[str, Any] | None = None,
        inside: Place | None = None,
        reference: Mapping[str, Any] | None = None,
        network: Mapping[str, Any] | None = None,
        train: Mapping[str, Any] | None = None,
        **coordinates: tuple[Number, Number],
    ) -> None:
        self._draft = _adamflip.Draft(_text("name", name))
        self._fields = _names(fields)
        self._coordinates = list(coordinates)
        if title is not None:
            self._set(["title"], title)
        self._set(["fields"], self._fields)
        for coordinate, ends in coordinates.items():
            self._set(["domain", coordinate], _range(coordinate, ends))
        if inside is not None:
            self._set(["domain", "inside"], self._place(inside))
        sections = {"constants": constants, "define": define, "unknowns": unknowns}
        for section, entries in sections.items():
            for key, value in (entries or {}).items():
                if section == "unknowns" and not isinstance(value, Mapping):
                    value = {"start": value}
                self._set([section, key], self._plain(value))
        if reference is not None:
            self._reference(reference)
        self.set(network=network or {}, train=train or {})

    @property
    def name(self) -> str:
        """The name of the problem: that of its runs."""
        return self._draft.name

    @property
    def fields(self) -> list[str]:
        """The fields that are sought."""
        return list(self._fields)

    @property
    def coordinates(self) -> list[str]:
        """The coordinates, in order."""
        return list(self._coordinates)

    def term(
        self,
        name: str,
        equation: Any = None,
        *,
        on: Place | Sequence[Place] | None = None,
        points: int | None = None,
        data: Any = None,
        **keys: Any,
    ) -> None:
        """Adds a term, or replaces the one of this name.

        ``equation`` is text in the notation of problem files, an equation of sympy, or a list of them.
        ``on`` is the place where it holds; without it, everywhere. ``data`` is the name of a file,
        ``"reference"``, a mapping from names to arrays, a data frame, or an xarray dataset: an array for
        each coordinate, and those that the equation names. Without an equation the data are the fields
        of the same names. Other keywords are the keys of a term: ``role``, ``weight``, ``tolerance``, …
        """
        values: dict[str, Any] = {}
        if equation is not None:
            values["equation"] = self._equations(equation)
        if on is not None:
            places = [on] if isinstance(on, (str, Shape)) else list(on)
            values["on"] = [self._place(place) for place in places]
            if len(places) == 1:
                values["on"] = values["on"][0]
        if points is not None:
            values["points"] = self._plain(points)
        if data is not None:
            values["data"] = self._data(f"{name}.npz", data)
        values.update({key: self._plain(value) for key, value in keys.items() if value is not None})
        self._set(["term", _text("name", name)], values)

    def set(self, **sections: Mapping[str, Any]) -> None:
        """Sets keys by section: ``p.set(network={"hidden": "4x32"}, train={"accuracy": 1e-4})``."""
        for section, entries in sections.items():
            for key, value in entries.items():
                self._set([section, key], self._plain(value))

    def to_toml(self) -> str:
        """The problem file that means this problem. Arrays are named as files that :meth:`save` writes."""
        return self._draft.text()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the problem file, and its arrays as files beside it."""
        self._draft.save(path_of(path, "path"))

    @known_keywords
    def check(
        self,
        *,
        budget: str | float | None = None,
        method: str | None = None,
        finish: str | None = None,
        steps: int | None = None,
        seed: int | None = None,
        start: Run | str | os.PathLike[str] | None = None,
        profile: str | None = None,
        set: Mapping[str, Any] | None = None,
    ) -> Check:
        """What ``adamflip check`` says: derivatives, points, network, plan, and what looks odd.

        The keywords are those of :meth:`solve`.
        """
        choices = {
            "budget": budget,
            "method": method,
            "finish": finish,
            "steps": steps,
            "seed": seed,
            "start": start,
            "profile": profile,
            "set": set,
        }
        text, report = self._draft.check(_choices(choices))
        return Check(text, json.loads(report))

    @known_keywords
    def solve(
        self,
        *,
        budget: str | float | None = None,
        method: str | None = None,
        finish: str | None = None,
        steps: int | None = None,
        seed: int | None = None,
        start: Run | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        out: str | os.PathLike[str] | None = None,
        profile: str | None = None,
        set: Mapping[str, Any] | None = None,
        callback: Callable[[dict[str, Any]], object] | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Solves the problem in a run folder: ``out``, or the next free one of ``runs/``.

        ``budget`` is a time (``"2m"``, or seconds), ``set`` replaces keys for this run alone
        (``{"network.hidden": "4x32"}``). ``callback`` is called after every step with what it did, and ends the
        run by returning ``True``. Ctrl-C raises ``KeyboardInterrupt`` and leaves a run that
        :meth:`Run.resume` continues. The result has the same bits as that of the program.
        """
        from .run import solve

        choices = _choices(
            {
                "budget": budget,
                "method": method,
                "finish": finish,
                "steps": steps,
                "seed": seed,
                "start": start,
                "profile": profile,
                "set": set,
            }
        )
        return solve(self._draft, choices, out=out, threads=threads, callback=callback, progress=progress)

    def __reduce__(self) -> tuple[Any, ...]:
        raise InputError(
            "a problem cannot be pickled: its arrays are files in the making",
            "p.save(path) here, and af.load(path) in the other process",
        )

    def __str__(self) -> str:
        return self.to_toml()

    def __repr__(self) -> str:
        return f"<Problem {self.name}: {', '.join(self._fields)} of {', '.join(self._coordinates)}>"

    def _repr_html_(self) -> str:
        return _display.preformatted(self.to_toml())

    def _set(self, path: list[str], value: Any) -> None:
        self._draft.set(path, value)

    def _plain(self, value: Any, depth: int = 50) -> Any:
        """A value as text, numbers, lists and mappings of them."""
        if depth == 0:
            raise InputError("a value has lists or mappings in each other without end", "does it hold itself?")
        if symbolic.is_symbolic(value):
            return symbolic.text(value, self._coordinates)
        if isinstance(value, Mapping):
            return {str(key): self._plain(inner, depth - 1) for key, inner in value.items()}
        if isinstance(value, (list, tuple, np.ndarray)):
            return [self._plain(inner, depth - 1) for inner in value]
        if isinstance(value, np.generic):
            return _bare(value)
        if isinstance(value, Shape):
            return self._place(value)
        return value

    def _equations(self, value: Any) -> Any:
        """One equation, or a list of them."""
        if isinstance(value, (list, tuple)):
            return [self._equation(inner) for inner in value]
        return self._equation(value)

    def _equation(self, value: Any) -> Any:
        if symbolic.is_symbolic(value):
            return symbolic.equation(value, self._coordinates)
        return value

    def _place(self, place: Place) -> str:
        if not isinstance(place, Shape):
            return place
        for name, keys in place.parts.items():
            self._set(["shapes", name], self._plain(keys))
        return place.expression

    def _reference(self, reference: Mapping[str, Any]) -> None:
        for key, value in reference.items():
            if key == "data":
                value = self._data("reference.npz", value)
            self._set(["reference", key], self._plain(value))

    def _data(self, name: str, data: Any) -> str:
        if isinstance(data, (str, os.PathLike)):
            return os.fspath(data)
        self._draft.arrays(name, _arrays(data))
        return name


class Check:
    """What is known of a problem before it is solved; ``report`` has it as a mapping."""

    def __init__(self, text: str, report: dict[str, Any]) -> None:
        self.report = report
        self._text = text

    @property
    def warnings(self) -> list[str]:
        """What looks odd."""
        return [warning if isinstance(warning, str) else str(warning) for warning in self.report["warnings"]]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return _display.preformatted(self._text)


def load(path: str | os.PathLike[str]) -> Problem:
    """A problem from a file: ``af.load("problems/heat_inverse.toml").solve(seed=1)``."""
    draft = _adamflip.Draft.load(path_of(path, "path"))
    problem = Problem.__new__(Problem)
    problem._draft = draft
    problem._fields = draft.names("fields")
    problem._coordinates = [name for name in draft.names("domain") if name != "inside"]
    return problem


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"`{key}` is {value!r}, not text", f'write {key}="heat"')
    return value


def _names(fields: Any) -> list[str]:
    """The names of fields, as a list or as text with commas or spaces between them."""
    try:
        names: list[Any] = fields.replace(",", " ").split() if isinstance(fields, str) else list(fields)
    except TypeError:
        names = [None]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"the fields are {fields!r}, not names", 'write "u", "u, v" or ["u", "v"]')
    return names


def _range(coordinate: str, ends: Any) -> list[Number]:
    try:
        lower, upper = ends
    except (TypeError, ValueError):
        near = nearest(coordinate, KEYWORDS)
        meant = f"did you mean `{near}`? " if near else ""
        raise InputError(
            f"`{coordinate}` is not a range: {ends!r}",
            f"{meant}Coordinates are keywords with two ends, {coordinate}=(0, 1); other keywords are"
            f" {', '.join(KEYWORDS)}",
        ) from None
    return [_bare(lower), _bare(upper)]


def _choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """What is chosen for one run, with the names of the command line."""
    chosen = {key: value for key, value in choices.items() if value is not None}
    start = chosen.get("start")
    if start is not None:
        chosen["start"] = os.fspath(path_of(getattr(start, "path", start), "start"))
    if "set" in chosen:
        keys = chosen["set"]
        if not isinstance(keys, Mapping):
            raise InputError(f"`set` is {keys!r}, not a mapping", 'write set={"network.hidden": "4x32"}')
        chosen["set"] = {_text("key", key): _bare(value) for key, value in keys.items()}
    return chosen


def _bare(value: Any) -> Any:
    """The number of Python for one of numpy."""
    return value.item() if isinstance(value, np.generic) else value


def _arrays(data: Any) -> dict[str, np.ndarray[Any, np.dtype[np.float64]]]:
    """Arrays by name, of a mapping, a data frame or a dataset."""
    if hasattr(data, "data_vars"):  # xarray.Dataset
        data = {**dict(data.coords), **dict(data.data_vars)}
    elif hasattr(data, "columns"):  # pandas.DataFrame
        data = {str(name): data[name] for name in data.columns}
    elif not isinstance(data, Mapping):
        raise InputError(
            f"data of type `{type(data).__name__}` are not understood",
            "give the name of a file, a mapping from names to arrays, a data frame, or a dataset",
        )
    arrays = {}
    for name, values in data.items():
        array = np.asarray(values)
        if array.dtype == object or not np.issubdtype(array.dtype, np.number) and array.dtype != bool:
            raise InputError(f"the array `{name}` has no numbers, but {array.dtype}", "convert it to float first")
        if np.iscomplexobj(array):
            raise InputError(
                f"the array `{name}` is complex", f"give its parts: {name}.real and {name}.imag, a field each"
            )
        arrays[str(name)] = np.ascontiguousarray(array, dtype=np.float64)
    return arrays
