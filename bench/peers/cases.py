"""The four cases that all sides run: networks, points, targets and the settings of the step.

Only numpy here, so that JAX and PyTorch start from the same weights and the same points and their first steps can be
compared number by number.
"""
from dataclasses import dataclass

import numpy as np

# Adam's moments, the gain K, the damping of the multiplier's system and the rate: K * RATE = 0.1 contracts.
BETA1, BETA2, DELTA = 0.95, 0.999, 1e-8
GAIN, DAMPING, RATE = 1000.0, 1e-6, 1e-4


@dataclass(frozen=True)
class Case:
    name: str
    sizes: tuple  # units of every layer, inputs first
    viscosity: float
    interior: np.ndarray  # one point a row, time last
    initial: np.ndarray
    initial_values: np.ndarray
    walls: np.ndarray
    wall_values: np.ndarray
    tile: int  # points processed at once by the tiled variants, chosen by measurement
    steps: int  # steps of one timed repetition

    @property
    def outputs(self):
        return self.sizes[-1]

    @property
    def time(self):
        """Index of the time coordinate; the ones before it are space."""
        return self.sizes[0] - 1


def weights(case):
    """Glorot-normal matrices (inputs x outputs) and zero biases."""
    rng = np.random.default_rng(1)
    pairs = zip(case.sizes[:-1], case.sizes[1:])
    return [(rng.normal(size=(i, o)) * np.sqrt(2 / (i + o)), np.zeros(o)) for i, o in pairs]


def uniform(rng, count, *bounds):
    return np.stack([rng.uniform(low, high, count) for low, high in bounds], 1)


def on_square_walls(points, low, high):
    """Moves the points to the four walls in turn."""
    for wall, (axis, value) in enumerate([(0, low), (0, high), (1, low), (1, high)]):
        points[wall::4, axis] = value
    return points


def burgers(name, count, tile, steps):
    rng = np.random.default_rng(0)
    initial, walls = uniform(rng, 100, (-1, 1), (0, 0)), uniform(rng, 100, (-1, 1), (0, 1))
    walls[:, 0] = np.sign(walls[:, 0])
    return Case(name, (2, *[20] * 8, 1), 0.01 / np.pi, uniform(rng, count, (-1, 1), (0, 1)),
                initial, -np.sin(np.pi * initial[:, :1]), walls, np.zeros((100, 1)), tile, steps)


def heat():
    rng = np.random.default_rng(0)
    unit = (0, 1)
    initial = uniform(rng, 500, unit, unit, (0, 0))
    walls = on_square_walls(uniform(rng, 500, unit, unit, unit), 0, 1)
    values = np.sin(np.pi * initial[:, :1]) * np.sin(np.pi * initial[:, 1:2])
    return Case("heat", (3, *[64] * 6, 1), 0.1, uniform(rng, 2000, unit, unit, unit),
                initial, values, walls, np.zeros((500, 1)), 250, 4)


def taylor_green(points, viscosity):
    x, y, t = points.T
    decay = np.exp(-2 * viscosity * t)
    pressure = -0.25 * (np.cos(2 * x) + np.cos(2 * y)) * decay**2
    return np.stack([-np.cos(x) * np.sin(y) * decay, np.sin(x) * np.cos(y) * decay, pressure], 1)


def navier_stokes():
    rng = np.random.default_rng(0)
    side, viscosity = (0, 2 * np.pi), 0.01
    initial = uniform(rng, 500, side, side, (0, 0))
    walls = on_square_walls(uniform(rng, 500, side, side, (0, 1)), *side)
    return Case("navier_stokes", (3, *[64] * 6, 3), viscosity, uniform(rng, 2000, side, side, (0, 1)),
                initial, taylor_green(initial, viscosity), walls, taylor_green(walls, viscosity), 250, 4)


CASES = {
    "burgers": lambda: burgers("burgers", 100, 100, 50),
    "burgers_large": lambda: burgers("burgers_large", 20_000, 1000, 2),
    "heat": heat,
    "navier_stokes": navier_stokes,
}
METHODS = ("adam", "adamflip")
