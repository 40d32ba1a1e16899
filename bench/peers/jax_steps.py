"""The step in JAX, f64: jit, lax.scan over the steps, derivatives as hand-written jets.

Variants, all with the same result; the strongest one on the machine at hand is the peer:

streams    every derivative is a stream of its own (value, u_x, u_y, u_t, u_xx, u_yy), one matrix product a layer
collapsed  s = u_t - nu*laplacian(u) is one stream: a_s = sigma' z_s - nu sigma'' sum_i z_i^2
tiled      collapsed, points in tiles that stay in the cache, and the weights' gradient as a product whose left side is
           transposed in memory first (XLA's product with a transposed left side runs at a quarter of the speed)
columns    tiled, with points along the contiguous axis
"""
from functools import partial
from typing import NamedTuple

from timing import arguments, best_seconds, limit_threads, report

OPTIONS = arguments(__doc__.splitlines()[0])
limit_threads(OPTIONS.threads)

import jax  # noqa: E402  (after the limit on threads)
import jax.numpy as jnp  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402

from cases import BETA1, BETA2, CASES, DAMPING, DELTA, GAIN, RATE, weights  # noqa: E402

jax.config.update("jax_enable_x64", True)


class Variant(NamedTuple):
    collapsed: bool
    tiled: bool
    point_axis: int  # 0: one point a row, 1: one point a column


VARIANTS = {
    "streams": Variant(collapsed=False, tiled=False, point_axis=0),
    "collapsed": Variant(collapsed=True, tiled=False, point_axis=0),
    "tiled": Variant(collapsed=True, tiled=True, point_axis=0),
    "columns": Variant(collapsed=True, tiled=True, point_axis=1),
}


def transposed(matrix):
    """Transposed in memory: without the barrier XLA folds the transposition into the product."""
    return jax.lax.optimization_barrier(matrix.T)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def linear(variant, inputs, matrix):
    if variant.point_axis == 0:
        return inputs @ matrix
    return transposed(matrix) @ inputs


def linear_forward(variant, inputs, matrix):
    return linear(variant, inputs, matrix), (inputs, matrix)


def linear_backward(variant, saved, adjoint):
    inputs, matrix = saved
    if variant.point_axis == 1:
        return matrix @ adjoint, inputs @ adjoint.T
    left = transposed(inputs) if variant.tiled else inputs.T
    return adjoint @ matrix.T, left @ adjoint


linear.defvjp(linear_forward, linear_backward)


def along_points(variant, vector):
    """A vector with one entry a unit, shaped to be broadcast over the points."""
    return vector if variant.point_axis == 0 else vector[:, None]


def component(variant, array, index):
    return array[:, index] if variant.point_axis == 0 else array[index]


def value(variant, layers, points):
    """The network's values alone, for the conditions."""
    z = points
    for index, (matrix, bias) in enumerate(layers):
        z = linear(variant, jnp.tanh(z) if index else z, matrix) + along_points(variant, bias)
    return z


def first_layer(variant, case, matrix, bias, points):
    """Derivatives of the first layer are the matrix's rows themselves; second derivatives vanish."""
    z = linear(variant, points, matrix) + along_points(variant, bias)
    row = lambda axis: jnp.broadcast_to(along_points(variant, matrix[axis]), z.shape)
    space = [row(axis) for axis in range(case.time)]
    if variant.collapsed:
        return z, space, [row(case.time)]
    return z, space + [row(case.time)], [jnp.zeros_like(z)] * case.time


def through_tanh(variant, case, z, first, second):
    a = jnp.tanh(z)
    slope = 1 - a * a
    curvature = -2 * a * slope
    if variant.collapsed:
        squares = sum(stream * stream for stream in first)
        outer = [slope * second[0] - case.viscosity * curvature * squares]
    else:
        outer = [slope * zz + curvature * zi * zi for zi, zz in zip(first, second)]
    return [a] + [slope * stream for stream in first] + outer


def jet(variant, case, layers, points):
    """Value, first derivatives, and second derivatives (or the collapsed stream) of the network."""
    z, first, second = first_layer(variant, case, *layers[0], points)
    for matrix, bias in layers[1:]:
        streams = through_tanh(variant, case, z, first, second)
        stacked = linear(variant, jnp.concatenate(streams, variant.point_axis), matrix)
        value_stream, *rest = jnp.split(stacked, len(streams), variant.point_axis)
        z = value_stream + along_points(variant, bias)
        first, second = rest[:len(first)], rest[len(first):]
    return z, first, second


def residuals(variant, case, layers, points):
    z, first, second = jet(variant, case, layers, points)
    part = partial(component, variant)

    def diffusion(k):  # u_t - nu*laplacian(u) of output k
        if variant.collapsed:
            return part(second[0], k)
        return part(first[case.time], k) - case.viscosity * sum(part(stream, k) for stream in second)

    if case.name == "heat":
        return [diffusion(0)]
    if case.name != "navier_stokes":
        return [diffusion(0) + part(z, 0) * part(first[0], 0)]
    u, v = part(z, 0), part(z, 1)
    momentum = [diffusion(k) + u * part(first[0], k) + v * part(first[1], k) + part(first[k], 2) for k in (0, 1)]
    return momentum + [part(first[0], 0) + part(first[1], 1)]


def oriented(variant, array):
    return jnp.array(array if variant.point_axis == 0 else array.T.copy())


def tiles(variant, case):
    """The interior points, with the tile as the first axis."""
    count = len(case.interior) // case.tile if variant.tiled else 1
    return jnp.stack([oriented(variant, part) for part in case.interior.reshape(count, -1, case.time + 1)])


def losses(variant, case, unravel):
    """The three losses as functions of theta; the objective takes a tile and returns that tile's share."""
    total = len(case.interior) * (3 if case.name == "navier_stokes" else 1)
    initial, initial_values, walls, wall_values = (
        oriented(variant, array) for array in (case.initial, case.initial_values, case.walls, case.wall_values))

    def objective(theta, tile):
        return sum(jnp.sum(r * r) for r in residuals(variant, case, unravel(theta), tile)) / total

    def condition(points, values, theta):
        return jnp.mean((value(variant, unravel(theta), points) - values) ** 2)

    return objective, partial(condition, initial, initial_values), partial(condition, walls, wall_values)


def objective_gradient(objective, theta, interior):
    if len(interior) == 1:
        return jax.value_and_grad(objective)(theta, interior[0])

    def add_tile(total, tile):
        share = jax.value_and_grad(objective)(theta, tile)
        return jax.tree.map(jnp.add, total, share), None

    return jax.lax.scan(add_tile, (jnp.zeros(()), jnp.zeros_like(theta)), interior)[0]


def adam_direction(objective, initial, walls, interior, theta):
    if len(interior) == 1:
        return jax.grad(lambda theta: objective(theta, interior[0]) + initial(theta) + walls(theta))(theta)
    conditions = jax.grad(lambda theta: initial(theta) + walls(theta))(theta)
    return objective_gradient(objective, theta, interior)[1] + conditions


def adamflip_direction(objective, initial, walls, interior, theta):
    """g = grad f + J^T lambda with lambda = -(J J^T + eps I)^-1 (J grad f - K h), the 2 x 2 system by hand."""
    _, gradient = objective_gradient(objective, theta, interior)
    h1, j1 = jax.value_and_grad(initial)(theta)
    h2, j2 = jax.value_and_grad(walls)(theta)
    a11, a12, a22 = j1 @ j1 + DAMPING, j1 @ j2, j2 @ j2 + DAMPING
    r1, r2 = j1 @ gradient - GAIN * h1, j2 @ gradient - GAIN * h2
    determinant = a11 * a22 - a12 * a12
    return gradient - ((a22 * r1 - a12 * r2) * j1 + (a11 * r2 - a12 * r1) * j2) / determinant


def repetition(variant, case, method):
    """A compiled function of no arguments that makes `case.steps` steps from the start and returns theta."""
    theta, unravel = ravel_pytree([(jnp.array(matrix), jnp.array(bias)) for matrix, bias in weights(case)])
    direction = {"adam": adam_direction, "adamflip": adamflip_direction}[method]
    of_theta = partial(direction, *losses(variant, case, unravel), tiles(variant, case))

    def step(state, _):
        theta, m, v, t = state
        g = of_theta(theta)
        t = t + 1
        m = BETA1 * m + (1 - BETA1) * g
        v = BETA2 * v + (1 - BETA2) * g * g
        scale = jnp.sqrt(v / (1 - BETA2**t)) + DELTA
        return (theta - RATE * (m / (1 - BETA1**t)) / scale, m, v, t), None

    run = jax.jit(lambda state: jax.lax.scan(step, state, None, length=case.steps)[0][0])
    start = (theta, jnp.zeros_like(theta), jnp.zeros_like(theta), jnp.zeros(()))
    return lambda: jax.block_until_ready(run(start))


def main():
    names = OPTIONS.variants.split(",") if OPTIONS.variants else list(VARIANTS)
    for case in (CASES[name]() for name in OPTIONS.cases.split(",")):
        for method in OPTIONS.methods.split(","):
            for name in names:
                run = repetition(VARIANTS[name], case, method)
                theta_norm = float(jnp.linalg.norm(run()))
                seconds = best_seconds(run, OPTIONS.seconds)
                report("jax", name, case, method, seconds, theta_norm, OPTIONS, jax.__version__)


if __name__ == "__main__":
    main()
