"""The cases of the Levenberg-Marquardt step, read from a run of ours: the same network, points and first parameters.

A checkpoint is one safetensors file: eight bytes with the length of a JSON header, the header, the numbers. It has the
points of every term in the file's order (`points.N`, one row a coordinate), the parameters before and after the last step
(`before`, `theta`; a layer's matrix, inputs x outputs, then its bias) and the damping after it (`optimizer.region`). Only
numpy here.
"""
import json
from dataclasses import dataclass

import numpy as np

# The settings of `gauss_newton`: weight of the conditions, first and least damping, the largest, what counts
# as a fall.
PENALTY, DAMPING, LEAST_DAMPING, MOST_DAMPING, ACCEPT, ATTEMPTS = 100.0, 1e-3, 1e-14, 1e6, 1e-3, 12


@dataclass(frozen=True)
class Kind:
    """What a problem file says beyond its numbers of points."""
    sizes: tuple  # units of every layer, inputs first
    lower: tuple  # the domain, time last; inputs are scaled from it to [-1, 1]
    upper: tuple
    viscosity: float
    convection: bool  # u_t + u u_x = nu u_xx, or u_t = nu (u_xx + u_yy)
    initial: object  # the values at t = 0; those on the walls are zero

    @property
    def center(self):
        return 0.5 * (np.array(self.lower) + np.array(self.upper))

    @property
    def factor(self):
        return 2.0 / (np.array(self.upper) - np.array(self.lower))


KINDS = {
    "burgers_forward": Kind((2, 20, 20, 20, 20, 1), (-1, 0), (1, 1), 0.01 / np.pi, True,
                            lambda x, t: -np.sin(np.pi * x)),
    "heat_forward": Kind((3, 24, 24, 24, 1), (0, 0, 0), (1, 1, 1), 0.1, False,
                         lambda x, y, t: np.sin(np.pi * x) * np.sin(np.pi * y)),
}


@dataclass(frozen=True)
class Case:
    name: str
    kind: Kind
    interior: np.ndarray  # one point a column
    conditions: tuple  # (points, values) of each
    before: np.ndarray
    theta: np.ndarray
    damping: float  # after the last step


def tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    header.pop("__metadata__")
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f8").reshape(entry["shape"])
            for name, entry in header.items()}


def read(name, path):
    """A case at the step that a checkpoint was written after."""
    lists, kind = tensors(path), KINDS[name]
    interior, initial, walls = (lists[f"points.{term}"] for term in range(3))
    expected = sum((i + 1) * o for i, o in zip(kind.sizes[:-1], kind.sizes[1:]))
    if len(lists["theta"]) != expected:
        raise SystemExit(f"peers: {name} has {len(lists['theta'])} parameters, its case here {expected}")
    conditions = ((initial, kind.initial(*initial)), (walls, np.zeros(walls.shape[1])))
    return Case(name, kind, interior, conditions, lists["before"], lists["theta"],
                float(lists["optimizer.region"][0]))
