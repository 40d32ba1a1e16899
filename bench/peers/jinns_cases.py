"""The problems of run-jinns in the words of jinns: equations, conditions, points, networks and exact solutions.

Points, networks and grids of errors are those of our problem files. Inputs of jinns are (t, x) or (t, x, y).
"""
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import jinns
import numpy as np
from jinns.loss import LossPDENonStatio, PDENonStatio

VISCOSITY, DIFFUSIVITY = 0.01 / np.pi, 0.1


class Burgers(PDENonStatio):
    def equation(self, t_x, u, params):
        value = lambda point: u(point, params)[0]
        slope = jax.grad(value)
        first, second = slope(t_x), jax.grad(lambda point: slope(point)[1])(t_x)
        return (first[0] + value(t_x) * first[1] - VISCOSITY * second[1])[None]


class Heat(PDENonStatio):
    def equation(self, t_x, u, params):
        change = jax.grad(lambda point: u(point, params)[0])(t_x)[0:1]
        return change - DIFFUSIVITY * jinns.loss.laplacian_rev(t_x, u, params, eq_type="PDENonStatio")


class Wave(PDENonStatio):
    def equation(self, t_x, u, params):
        slope = jax.grad(lambda point: u(point, params)[0])
        second = lambda axis: jax.grad(lambda point: slope(point)[axis])(t_x)[axis]
        return (second(0) - 4.0 * second(1))[None]


class FromRest(LossPDENonStatio):
    """jinns has a condition on u at t = 0 only: here u_t = 0 is a second component of its residual."""

    def _prepare_loss_terms(self, batch):
        terms = super()._prepare_loss_terms(batch)
        shape = terms.initial_condition["fun"]

        def fun(point, params):
            start = jnp.concatenate([self.t0.astype(point.dtype), point])
            velocity = jax.grad(lambda t_x: self.u(t_x, params)[0])(start)[0:1]
            return jnp.concatenate([shape(point, params), velocity])

        return eqx.tree_at(lambda terms: terms.initial_condition["fun"], terms, fun)


def cole_hopf(t, x):
    """The exact solution of the Burgers problem by Gauss-Hermite quadrature (Basdevant et al. 1986)."""
    nodes, weights = np.polynomial.hermite.hermgauss(200)
    shifted = np.subtract.outer(x, 2.0 * np.sqrt(VISCOSITY * t) * nodes) if np.ndim(t) == 0 else \
        x[:, None] - 2.0 * np.sqrt(VISCOSITY * t)[:, None] * nodes
    # exp(-cos(πy)/(2πν)) would overflow; its largest value divides out.
    bell = weights * np.exp(-(np.cos(np.pi * shifted) + 1.0) / (2.0 * np.pi * VISCOSITY))
    return -np.sum(np.sin(np.pi * shifted) * bell, axis=1) / np.sum(bell, axis=1)


@dataclass(frozen=True)
class Case:
    equation: type
    loss: type
    hidden: tuple
    lower: tuple  # of space
    upper: tuple
    points: tuple  # inside, at t = 0, on the walls together
    initial: object
    exact: object  # of (t, x, ...)
    grid: tuple  # t first


CASES = {
    "burgers_forward": Case(Burgers, LossPDENonStatio, (20,) * 4, (-1.0,), (1.0,), (3000, 100, 100),
                            lambda x: -jnp.sin(jnp.pi * x[0]), cole_hopf, (101, 201)),
    # jinns has as many points on every wall: 152 instead of 150.
    "heat_forward": Case(Heat, LossPDENonStatio, (24,) * 3, (0.0, 0.0), (1.0, 1.0), (2000, 150, 152),
                         lambda x: jnp.sin(jnp.pi * x[0]) * jnp.sin(jnp.pi * x[1]),
                         lambda t, x, y: np.sin(np.pi * x) * np.sin(np.pi * y) * np.exp(-2 * np.pi**2 * DIFFUSIVITY * t),
                         (101, 101, 101)),
    "wave_two_modes": Case(Wave, FromRest, (20,) * 4, (0.0,), (1.0,), (2000, 200, 200),
                           lambda x: jnp.sin(jnp.pi * x[0]) + 0.5 * jnp.sin(4 * jnp.pi * x[0]),
                           lambda t, x: np.sin(np.pi * x) * np.cos(2 * np.pi * t)
                           + 0.5 * np.sin(4 * np.pi * x) * np.cos(8 * np.pi * t), (201, 201)),
}


def network(case, key):
    """A network of tanh whose inputs are scaled to [-1, 1], as ours are."""
    sizes = (1 + len(case.lower), *case.hidden, 1)
    layers = []
    for inputs, outputs in zip(sizes[:-1], sizes[1:]):
        layers += [(eqx.nn.Linear, inputs, outputs), (jax.nn.tanh,)]
    lower, upper = jnp.array((0.0, *case.lower)), jnp.array((1.0, *case.upper))
    scaled = lambda point, params: (2.0 * point - lower - upper) / (upper - lower)
    return jinns.nn.PINN_MLP.create(key=key, eqx_list=tuple(layers[:-1]), eq_type="PDENonStatio", input_transform=scaled)


def data(case, key, sampler):
    """All points are in every batch, and stay: a step of curvature is compared with the next."""
    inside, start, walls = case.points
    return jinns.data.CubicMeshPDENonStatio(
        key=key, n=inside, ni=start, nb=walls, dim=len(case.lower), min_pts=case.lower, max_pts=case.upper,
        tmin=0.0, tmax=1.0, method=sampler)


def problem(name, seed, weight, sampler):
    """Loss, points and first parameters; the conditions have this weight."""
    case = CASES[name]
    first, second = jax.random.split(jax.random.PRNGKey(seed))
    u, start = network(case, first)
    params = jinns.parameters.Params(nn_params=start, eq_params={})
    weights = jinns.loss.LossWeightsPDENonStatio(dyn_loss=1.0, initial_condition=weight, boundary_loss=weight)
    loss = case.loss(u=u, loss_weights=weights, dynamic_loss=case.equation(), initial_condition_fun=case.initial,
                     boundary_condition=jinns.loss.Dirichlet(), params=params)
    return loss, data(case, second, sampler), params


def grid(name):
    """The points at which errors are measured, one a row, and the exact solution there."""
    case = CASES[name]
    ends = zip((0.0, *case.lower), (1.0, *case.upper), case.grid)
    axes = np.meshgrid(*(np.linspace(low, high, count) for low, high, count in ends), indexing="ij")
    columns = [axis.ravel() for axis in axes]
    return np.stack(columns, axis=1), case.exact(*columns)
