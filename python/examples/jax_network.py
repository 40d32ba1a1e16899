"""A JAX network trained by our methods: u'' = −π² sin(πx) with u(0) = u(1) = 0.

JAX differentiates the residuals by the parameters; our methods see functions of one flat array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import adamflip as af

jax.config.update("jax_enable_x64", True)  # type: ignore[no-untyped-call, unused-ignore]

POINTS = jnp.linspace(0.0, 1.0, 40)


def layers(key: Any, sizes: list[int]) -> list[tuple[Any, Any]]:
    """Weights and biases of a small network."""
    keys = jax.random.split(key, len(sizes) - 1)
    shapes = zip(keys, sizes[:-1], sizes[1:])
    return [(jax.random.normal(k, (n, m)) / jnp.sqrt(m), jnp.zeros(n)) for k, m, n in shapes]


def main() -> dict[str, float]:
    """The largest error of each method."""
    start, unflatten = ravel_pytree(layers(jax.random.PRNGKey(0), [1, 12, 12, 1]))

    def u(θ: Any, x: Any) -> Any:
        *hidden, (last, bias) = unflatten(θ)
        y = jnp.array([x])
        for weights, biases in hidden:
            y = jnp.tanh(weights @ y + biases)
        return (last @ y + bias)[0]

    u_xx = jax.grad(jax.grad(u, argnums=1), argnums=1)

    def equation(θ: Any) -> Any:
        r = jax.vmap(lambda x: u_xx(θ, x) + jnp.pi**2 * jnp.sin(jnp.pi * x))(POINTS)
        return r / jnp.sqrt(POINTS.size)

    def walls(θ: Any) -> Any:
        return jnp.stack([u(θ, 0.0), u(θ, 1.0)])

    def with_jacobian(function: Callable[[Any], Any]) -> Any:
        return jax.jit(lambda θ: (function(θ), jax.jacrev(function)(θ)))

    objective = jax.jit(jax.value_and_grad(lambda θ: jnp.sum(equation(θ) ** 2)))
    constraints = with_jacobian(walls)

    def first_order(method: str) -> af.Minimum:
        return af.minimize(objective, start, constraints, method, steps=4_000, lr=5e-3, lr_end=1e-4)

    runs = {
        "adamflip": first_order("adamflip"),
        "adamflip_split": first_order("adamflip_split"),
        "newtonflip": af.minimize(None, start, constraints, residuals=with_jacobian(equation), steps=60),
    }
    x = np.linspace(0.0, 1.0, 101)
    errors = {}
    for name, run in runs.items():
        values = np.asarray(jax.vmap(lambda x: u(jnp.asarray(run.x), x))(jnp.asarray(x)))
        errors[name] = float(np.abs(values - np.sin(np.pi * x)).max())
        print(f"{name:15} steps {run.nit:5}  walls {run.violation:.1e}  largest error {errors[name]:.1e}")
    return errors


if __name__ == "__main__":
    main()
