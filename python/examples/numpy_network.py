"""A network in plain numpy, trained by our methods: u' = −u with u(0) = 1 on [0, 2].

The network is u(t) = Σ aᵢ tanh(wᵢt + bᵢ). The equation is the objective, the initial condition a constraint;
the derivatives of both by θ = (a, w, b) are written by hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import adamflip as af

Array = NDArray[np.float64]

NEURONS = 8
POINTS = np.linspace(0.0, 2.0, 32)


def network(θ: Array, t: Array) -> tuple[Array, Array, Array, Array]:
    """u and u' at t, and the derivatives of both by θ: one row a point."""
    a, w, b = θ.reshape(3, NEURONS)
    t = t[:, None]
    s = np.tanh(w * t + b)
    ds = 1.0 - s * s
    dds = -2.0 * s * ds
    u_θ = np.hstack([s, a * ds * t, a * ds])
    du_θ = np.hstack([ds * w, a * (dds * t * w + ds), a * dds * w])
    return s @ a, (ds * w) @ a, u_θ, du_θ


def residuals(θ: Array) -> tuple[Array, Array]:
    """r = (u' + u)/√N, so that ‖r‖² is the mean square."""
    u, du, u_θ, du_θ = network(θ, POINTS)
    scale = 1.0 / np.sqrt(POINTS.size)
    return scale * (du + u), scale * (du_θ + u_θ)


def objective(θ: Array) -> tuple[float, Array]:
    """‖r‖² and its gradient."""
    r, r_θ = residuals(θ)
    return float(r @ r), 2.0 * (r @ r_θ)


def initial(θ: Array) -> tuple[Array, Array]:
    """u(0) − 1."""
    u, _, u_θ, _ = network(θ, np.zeros(1))
    return u - 1.0, u_θ


def main() -> dict[str, float]:
    """The largest error of each method."""
    start = np.random.default_rng(0).normal(size=3 * NEURONS)
    runs = {
        "adamflip": af.minimize(objective, start, initial, "adamflip", steps=5_000, lr=1e-2, lr_end=1e-4),
        "adamflip_split": af.minimize(
            objective, start, initial, "adamflip_split", steps=5_000, lr=1e-2, lr_end=1e-4
        ),
        "newtonflip": af.minimize(None, start, initial, residuals=residuals, steps=50),
    }
    t = np.linspace(0.0, 2.0, 201)
    errors = {name: float(np.abs(network(run.x, t)[0] - np.exp(-t)).max()) for name, run in runs.items()}
    for name, run in runs.items():
        print(f"{name:15} steps {run.nit:5}  violation {run.violation:.1e}  largest error {errors[name]:.1e}")
    return errors


if __name__ == "__main__":
    main()
