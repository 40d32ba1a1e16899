"""Figures with matplotlib that can be restyled: axes are named by coordinates, colours by fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .run import Run, _needs

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure


def plot(
    run: Run, field: str, ax: matplotlib.axes.Axes | None, fixed: dict[str, float]
) -> matplotlib.figure.Figure:
    """A line over one coordinate, a map over two; see :meth:`Run.plot`."""
    pyplot = _needs("matplotlib.pyplot", "notebook")
    names = run.coordinates
    run._known(fixed)
    free = [name for name in names if name not in fixed][:2]
    middle = {name: 0.5 * (lower + upper) for name, (lower, upper) in zip(names, run._solution.ranges)}
    held = {name: fixed.get(name, middle[name]) for name in names if name not in free}
    counts: dict[str, Any] = {name: 401 if len(free) == 1 else 201 for name in free}
    data = run.grid(field, **counts, **{name: [value] for name, value in held.items()})[field].squeeze()
    figure: Any = ax.figure if ax is not None else pyplot.figure(layout="constrained")
    ax = ax if ax is not None else figure.add_subplot()
    # Time goes to the right, as in the figures of reports.
    free.sort(key=lambda name: name != "t")
    if len(free) == 1:
        ax.plot(data[free[0]], data)
        ax.set_xlabel(free[0])
        ax.set_ylabel(field)
    else:
        across, up = free
        values = data.transpose(up, across).to_numpy()
        largest = float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 1.0
        signed = np.nanmin(values) < 0 < np.nanmax(values)
        limits = {"vmin": -largest, "vmax": largest, "cmap": "RdBu_r"} if signed else {"cmap": "viridis"}
        image = ax.pcolormesh(data[across], data[up], values, shading="nearest", rasterized=True, **limits)
        spans = [float(np.ptp(data[name].to_numpy())) for name in free]
        if "t" not in free and max(spans) <= 5 * min(spans):
            ax.set_aspect("equal")
        figure.colorbar(image, ax=ax, label=field)
        ax.set_xlabel(across)
        ax.set_ylabel(up)
    if held:
        ax.set_title(", ".join(f"{name} = {value:g}" for name, value in held.items()))
    drawn: matplotlib.figure.Figure = figure
    return drawn
