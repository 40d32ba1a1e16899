"""Runs: solutions in their folders, to be evaluated, plotted, exported and resumed."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable, Mapping
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _adamflip, _display
from .errors import InputError, MissingPackage, NotSolved
from .keywords import known_keywords, nearest
from .paths import path_of
from .progress import Progress

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure
    import pandas
    import xarray

__all__ = ["Field", "Run", "open"]

#: The most points of a grid: as many as a data file may have numbers.
LARGEST_GRID = 200_000_000


def solve(
    draft: _adamflip.Draft,
    choices: Mapping[str, Any],
    *,
    out: str | os.PathLike[str] | None,
    threads: int | None,
    callback: Callable[[dict[str, Any]], object] | None,
    progress: bool | None,
) -> Run:
    with Progress(progress) as bar:
        folder = None if out is None else path_of(out, "out")
        path = draft.solve(dict(choices), folder, threads, callback, bar.update)
    return _judged(Run(path), 5)


def _judged(run: Run, depth: int) -> Run:
    """The run, with a warning where its own sentence says that the answer cannot be used."""
    summary = run.summary
    if summary["answer"]["verdict"] == "not_solved" and summary["status"] != "interrupted":
        warnings.warn(f"{summary['answer']['text']}; {summary['advice']}", NotSolved, stacklevel=depth)
    return run


def open(path: str | os.PathLike[str]) -> Run:
    """The run in a folder: one that has ended, was interrupted, or goes on elsewhere."""
    return Run(path)


class Run:
    """A run in its folder.

    Fields are attributes that can be called: ``run.u(x=0.5, t=[0, 1])``. Calling the run evaluates any
    expression in the notation of the equations: ``run("nu*u_xx", x=0.5, t=1)``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path_of(path, "path")
        self._solution = _adamflip.Solution(self._path)

    @property
    def path(self) -> Path:
        """The folder of the run."""
        return self._path

    @property
    def fields(self) -> list[str]:
        """The fields: those sought, then the coefficients that are fields."""
        return self._solution.fields

    @property
    def coordinates(self) -> list[str]:
        """The coordinates, in order."""
        return self._solution.coordinates

    @property
    def summary(self) -> dict[str, Any]:
        """``summary.json``: how the run ended, errors, terms, certificate, estimate."""
        text = self._path / "summary.json"
        try:
            summary: dict[str, Any] = json.loads(text.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(
                f"the run in `{self._path}` has no summary: {error.strerror}",
                "it goes on, or was killed: wait for it, or continue it with run.resume()",
            ) from None
        return summary

    @property
    def status(self) -> str:
        """How the run ended: ``converged``, ``stagnated``, ``max_steps``, ``time_budget``, ``interrupted``, …"""
        if not (self._path / "summary.json").exists():
            return "interrupted"
        return str(self.summary["status"])

    @property
    def history(self) -> pandas.DataFrame:
        """What was observed in training, a row each time (needs pandas)."""
        frames = _needs("pandas", "notebook")
        try:
            frame: pandas.DataFrame = frames.read_csv(self._path / "history.csv")
        except (OSError, frames.errors.EmptyDataError) as error:
            raise InputError(
                f"the history of the run in `{self._path}` cannot be read: {error}", "is its folder still there?"
            ) from None
        return frame

    @property
    def unknowns(self) -> pandas.DataFrame:
        """The unknown numbers with their 95% intervals (needs pandas)."""
        frames = _needs("pandas", "notebook")
        columns = ["value", "lower", "upper", "deviation", "identified"]
        rows = {}
        for name, entry in self.summary["unknowns"].items():
            lower, upper = entry.get("interval") or (float("nan"), float("nan"))
            deviation = entry.get("deviation") or float("nan")
            rows[name] = [entry["value"], lower, upper, deviation, entry.get("identified")]
        frame: pandas.DataFrame = frames.DataFrame.from_dict(rows, orient="index", columns=columns)
        return frame

    @property
    def certificate(self) -> dict[str, Any]:
        """How well every term holds on points that training never saw."""
        summary = self.summary
        return {"terms": summary["terms"], **summary["certificate"]}

    @property
    def estimate(self) -> dict[str, Any]:
        """The estimated relative L2 error of every field, without any reference."""
        return dict(self.summary["estimate"])

    def __call__(self, expression: str, **points: ArrayLike) -> NDArray[np.float64]:
        """The values of an expression at points; coordinates are broadcast against each other."""
        return self._evaluate([expression], points)[0]

    def __getattr__(self, name: str) -> Field:
        if name.startswith("_") or name not in self.fields:
            raise AttributeError(f"a run has no attribute `{name}`; its fields are {', '.join(self.fields)}")
        return Field(self, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def grid(self, *expressions: str, **counts: int | ArrayLike) -> xarray.Dataset:
        """Fields, or expressions, on a grid (needs xarray).

        A keyword for each coordinate gives how many nodes, or which: ``run.grid(x=201, t=[0, 0.5, 1])``.
        Coordinates that are not named have 101 nodes over their range.
        """
        arrays = _needs("xarray", "notebook")
        self._known(counts)
        axes = {}
        for name, (lower, upper) in zip(self.coordinates, self._solution.ranges):
            axes[name] = _nodes(name, lower, upper, counts.get(name, 101))
        size = math.prod(axis.size for axis in axes.values())
        if size > LARGEST_GRID:
            raise InputError(f"the grid has {size} points, more than {LARGEST_GRID}", "take fewer nodes")
        mesh = np.meshgrid(*axes.values(), indexing="ij", sparse=True)
        names = list(expressions) or self.fields
        values = self._evaluate(names, dict(zip(axes, mesh)))
        inside = self._solution.contains([np.broadcast_to(m, values[0].shape).ravel() for m in mesh])
        inside = inside.reshape(values[0].shape)
        variables = {
            name: (tuple(axes), np.where(inside, array, np.nan)) for name, array in zip(names, values)
        }
        dataset: xarray.Dataset = arrays.Dataset(variables, coords=axes, attrs={"run": str(self._path)})
        return dataset

    def plot(
        self, field: str | None = None, *, ax: matplotlib.axes.Axes | None = None, **fixed: float
    ) -> matplotlib.figure.Figure:
        """A figure of a field over one or two coordinates (needs matplotlib and xarray).

        Coordinates beyond two are fixed, by keyword or in the middle of their range.
        """
        from .plot import plot

        return plot(self, field or self.fields[0], ax, fixed)

    def export(self, path: str | os.PathLike[str]) -> Path:
        """Writes the solution for other programs: ``.onnx``, ``.npz``, ``.csv`` or ``.vti``."""
        to = path_of(path, "path")
        self._solution.export(to)
        return to

    def report(self) -> Path:
        """The page of the run with its figures, drawn again; returns its path."""
        return Path(_adamflip.report(self._path))

    @known_keywords
    def resume(
        self,
        *,
        steps: int | None = None,
        budget: str | float | None = None,
        threads: int | None = None,
        callback: Callable[[dict[str, Any]], object] | None = None,
        progress: bool | None = None,
    ) -> Run:
        """Continues a run that was interrupted or whose budget was used up, to the same bits as one that never was."""
        with Progress(progress) as bar:
            path = _adamflip.resume(self._path, steps, budget, threads, callback, bar.update)
        return _judged(Run(path), 4)

    def __reduce__(self) -> tuple[type[Run], tuple[str]]:
        # The folder is the run: a pickle finds it where it is.
        return (Run, (str(self._path.resolve()),))

    def __repr__(self) -> str:
        return f"<Run {self._path}>"

    def __str__(self) -> str:
        return _display.summary(self.summary)

    def _repr_html_(self) -> str:
        return _display.run(self)

    def _evaluate(self, expressions: list[str], points: Mapping[str, ArrayLike]) -> list[NDArray[np.float64]]:
        self._known(points)
        missing = [name for name in self.coordinates if name not in points]
        if missing:
            raise InputError(
                f"the coordinate `{missing[0]}` has no value",
                f"give all of them: {', '.join(f'{name}=…' for name in self.coordinates)}",
            )
        try:
            arrays = [np.asarray(points[name], dtype=np.float64) for name in self.coordinates]
            arrays = list(np.broadcast_arrays(*arrays))
        except (TypeError, ValueError) as error:
            raise InputError(f"the points are no arrays that fit each other: {error}", "give numbers or arrays") from None
        shape = arrays[0].shape
        columns = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
        values = self._solution.evaluate(expressions, columns)
        return [column.reshape(shape) for column in values]

    def _known(self, names: Mapping[str, object]) -> None:
        for name in names:
            if name not in self.coordinates:
                near = nearest(name, self.coordinates)
                raise InputError(
                    f"`{name}` is not a coordinate",
                    f"did you mean `{near}`?" if near else f"the coordinates are {', '.join(self.coordinates)}",
                )


def _nodes(name: str, lower: float, upper: float, nodes: int | ArrayLike) -> NDArray[np.float64]:
    """The nodes along a coordinate, of which the number is given or all are."""
    try:
        count = index(nodes)  # type: ignore[arg-type]
    except TypeError:
        try:
            array = np.atleast_1d(np.asarray(nodes, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise InputError(f"the nodes of `{name}` are no numbers: {error}", "give a count or an array") from None
        if array.ndim > 1:
            raise InputError(f"the nodes of `{name}` have the shape {array.shape}", "give a list of them")
        return array
    if not 0 < count <= LARGEST_GRID:
        raise InputError(f"`{name}` cannot have {count} nodes", f"give a count from 1 to {LARGEST_GRID}")
    return np.linspace(lower, upper, count)


class Field:
    """A field of a run; call it with coordinates."""

    def __init__(self, run: Run, name: str) -> None:
        self.run = run
        self.name = name

    def __call__(self, *unnamed: ArrayLike, **points: ArrayLike) -> NDArray[np.float64]:
        """The values of the field; coordinates are broadcast against each other."""
        if unnamed:
            named = ", ".join(f"{name}=…" for name in self.run.coordinates)
            raise InputError("coordinates are keywords", f"write run.{self.name}({named})")
        return self.run(self.name, **points)

    def __repr__(self) -> str:
        return f"<Field {self.name} of {', '.join(self.run.coordinates)}>"


def _needs(module: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingPackage(f"this needs {package}", f"pip install 'adamflip[{extra}]', or {package} alone") from None
