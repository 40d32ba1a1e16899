"""The Levenberg-Marquardt step in JAX, f64: one jit a step, with the solve, the trial and the decision inside.

phi = rho.rho with rho = (r / sqrt(n), 10 h_b / sqrt(n_b)); R is the Jacobian of rho, g = 2 R^T rho, H = 2 R^T R. Of the
unconstrained method in crates/adamflip/src/optim/newton.rs nothing is left out and nothing added. Variants, all with the
same result; the strongest one on the machine at hand is the peer:

autodiff   rows by vmap(grad), derivatives of the network by nested jvp, R^T R as one product: what one writes first
grad       rows by vmap(grad) of the equation with hand-written, collapsed jets, points along the contiguous axis; of the
           product only the lower triangle, in block rows
outer      jets of all points at once; one reverse sweep to the layers' outputs, rows as sums of outer products of the
           layers' inputs and these adjoints; product as in `grad`
layers     outer, with the product by pairs of layers: R is never put together from its parts
callback   outer, with the product by scipy's BLAS (dsyrk), called back from the compiled step: no longer JAX alone
linearize  rows by jax.linearize and vmap over all unit vectors (jacfwd): not run unless asked for, far slower. jacrev of
           the scalar at a point is vmap(grad); of all residuals at once it takes as many sweeps as there are points
"""
import argparse
import json
import time
from typing import NamedTuple

import numpy as np

from curvature_cases import ACCEPT, ATTEMPTS, DAMPING, KINDS, LEAST_DAMPING, MOST_DAMPING, PENALTY, read
from timing import limit_threads

USUAL = ("autodiff", "grad", "outer", "layers", "callback")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=KINDS, required=True)
    parser.add_argument("--first", required=True, help="our checkpoint after the first step")
    parser.add_argument("--last", required=True, help="our checkpoint after the last step")
    parser.add_argument("--steps", type=int, required=True, help="steps between the two")
    parser.add_argument("--variants", default=",".join(USUAL))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


OPTIONS = arguments()
limit_threads(OPTIONS.threads)

import jax  # noqa: E402  (after the limit on threads)
import jax.numpy as jnp  # noqa: E402
from jax.scipy.linalg import cho_solve  # noqa: E402
from scipy.linalg.blas import dsyrk  # noqa: E402

jax.config.update("jax_enable_x64", True)

# Block rows of the product: four leave out three eighths of it, and more are no faster.
BLOCKS = 4
# Unit vectors at a time where there is one for each parameter: more need gigabytes.
UNITS = 27


class Variant(NamedTuple):
    rows: object  # (case, parameters) -> rho and R^T, or its part for each layer
    product: object  # of R^T: R^T R, its lower triangle at least


def layers_of(kind, theta):
    """Matrix (inputs x outputs) and bias of every layer."""
    layers, at = [], 0
    for i, o in zip(kind.sizes[:-1], kind.sizes[1:]):
        layers.append((theta[at:at + i * o].reshape(i, o), theta[at + i * o:at + (i + 1) * o]))
        at += (i + 1) * o
    return layers


def scaled(kind, points):
    """Points, one a column, as the first layer sees them."""
    return (points - kind.center[:, None]) * kind.factor[:, None]


# One point, for vmap.

def field(kind, theta, point):
    z = (point - kind.center) * kind.factor
    for index, (matrix, bias) in enumerate(layers_of(kind, theta)):
        z = (jnp.tanh(z) if index else z) @ matrix + bias
    return z[0]


def residual_nested(kind, theta, point):
    """The equation, with forward derivatives of forward derivatives."""
    units = np.eye(len(point))
    u = lambda x: field(kind, theta, x)
    first = lambda unit: lambda x: jax.jvp(u, (x,), (unit,))[1]
    second = lambda unit: jax.jvp(first(unit), (point,), (unit,))[1]
    r = first(units[-1])(point) - kind.viscosity * sum(second(unit) for unit in units[:-1])
    return r + u(point) * first(units[0])(point) if kind.convection else r


def residual_jets(kind, theta, point):
    streams = [stream[:, 0] for stream in entries(kind, point[:, None])]
    for index, (matrix, bias) in enumerate(layers_of(kind, theta)):
        streams = [stream @ matrix for stream in (through_tanh(kind, streams) if index else streams)]
        streams[0] = streams[0] + bias
    return equation(kind, [stream[0] for stream in streams])


# All points: streams are arrays (units, points).

def entries(kind, points):
    """The first layer's inputs: value, derivatives in space, and u_t - nu*laplacian(u) as one stream."""
    axis = lambda i: np.repeat((np.eye(len(kind.factor))[i] * kind.factor)[:, None], points.shape[1], 1)
    return [scaled(kind, points)] + [axis(i) for i in range(len(kind.factor))]


def through_tanh(kind, streams):
    """Of the last stream, s: sigma' z_s - nu sigma'' sum_i z_i^2."""
    a = jnp.tanh(streams[0])
    if len(streams) == 1:
        return [a]
    slope = 1 - a * a
    *space, collapsed = streams[1:]
    squares = sum(stream * stream for stream in space)
    return [a] + [slope * stream for stream in space] + [slope * (collapsed + 2 * kind.viscosity * a * squares)]


def equation(kind, streams):
    return streams[-1] + streams[0] * streams[1] if kind.convection else streams[-1]


def sweep(kind, layers, streams, probes=None):
    """The outputs of the last layer, with the inputs of all; probes are added to every layer's outputs."""
    inputs = []
    for index, (matrix, bias) in enumerate(layers):
        streams = through_tanh(kind, streams) if index else streams
        inputs.append(streams)
        # One product for all streams: they stand side by side.
        both = matrix.T @ jnp.concatenate(streams, 1)
        streams = jnp.split(both, len(streams), 1)
        streams = [streams[0] + bias[:, None], *streams[1:]]
        if probes:
            streams = [stream + probe for stream, probe in zip(streams, probes[index])]
    return [stream[0] for stream in streams], inputs


def terms(case):
    """Streams that enter and what makes a residual of those that leave, with its weight, for each term."""
    kind, count = case.kind, case.interior.shape[1]
    share = 1 / np.sqrt(count)
    yield entries(kind, case.interior), lambda streams: share * equation(kind, streams)
    for points, values in case.conditions:
        weight = np.sqrt(PENALTY / points.shape[1])
        yield [scaled(kind, points)], lambda streams, v=values, w=weight: w * (streams[0] - v)


def merit(case, theta):
    layers = layers_of(case.kind, theta)
    return sum(jnp.sum(jnp.square(make(sweep(case.kind, layers, streams)[0]))) for streams, make in terms(case))


def by_points(residual, axis):
    """rho and R, or R^T where the points' axis is the last, by vmap(grad)."""
    def rows(case, theta):
        kind = case.kind
        share = 1 / np.sqrt(case.interior.shape[1])
        of = jax.vmap(jax.value_and_grad(lambda theta, x: share * residual(kind, theta, x)),
                      (None, 0), (0, axis))
        parts = [of(theta, case.interior.T)]
        for points, values in case.conditions:
            weight = np.sqrt(PENALTY / points.shape[1])
            misfit = lambda theta, x, v: weight * (field(kind, theta, x) - v)
            parts.append(jax.vmap(jax.value_and_grad(misfit), (None, 0, 0), (0, axis))(theta, points.T, values))
        values, gradients = zip(*parts)
        return jnp.concatenate(values), jnp.concatenate(gradients, axis)
    return rows


def adjoints(kind, layers, streams, make):
    """Residuals of a term, the inputs of all layers, and the derivatives of each residual by their outputs.

    Points know nothing of each other, so that the gradient of the sum of all residuals has the derivatives of each.
    """
    count = streams[0].shape[1]
    probes = [[jnp.zeros((bias.shape[0], count)) for _ in streams] for _, bias in layers]

    def total(probes):
        leaving, inputs = sweep(kind, layers, streams, probes)
        r = make(leaving)
        return jnp.sum(r), (r, inputs)

    by_outputs, (r, inputs) = jax.grad(total, has_aux=True)(probes)
    return r, inputs, by_outputs


def outer_parts(case, theta):
    """rho, and for each layer its part of R^T."""
    kind, layers = case.kind, layers_of(case.kind, theta)
    found = [adjoints(kind, layers, streams, make) for streams, make in terms(case)]
    parts = []
    for layer in range(len(layers)):
        both = []
        for r, inputs, by_outputs in found:
            pairs = zip(inputs[layer], by_outputs[layer])
            product = sum(a[:, None, :] * z[None, :, :] for a, z in pairs)
            both.append(jnp.concatenate([product.reshape(-1, len(r)), by_outputs[layer][0]]))
        parts.append(jnp.concatenate(both, 1))
    return jnp.concatenate([r for r, _, _ in found]), parts


def outer(case, theta):
    r, parts = outer_parts(case, theta)
    return r, jnp.concatenate(parts)


def linearized(case, theta):
    """rho and R^T by one forward derivative for each parameter."""
    def residuals(theta):
        layers = layers_of(case.kind, theta)
        return jnp.concatenate([make(sweep(case.kind, layers, streams)[0]) for streams, make in terms(case)])

    r, forward = jax.linearize(residuals, theta)
    units = jnp.pad(jnp.eye(len(theta)), ((0, -len(theta) % UNITS), (0, 0))).reshape(-1, UNITS, len(theta))
    columns = jax.lax.map(jax.vmap(forward), units).reshape(-1, len(r))
    return r, columns[:len(theta)]


def lower(block_rows, size):
    return jnp.concatenate([jnp.pad(rows, ((0, 0), (0, size - rows.shape[1]))) for rows in block_rows])


def blocks(columns):
    """Both sides of the product as they are in memory: turning one first costs more than it gains here."""
    size = len(columns)
    edges = [(size * i // BLOCKS, size * (i + 1) // BLOCKS) for i in range(BLOCKS)]
    return lower([columns[start:end] @ columns[:end].T for start, end in edges], size)


def layer_blocks(parts):
    pairs = lambda index: [parts[index] @ other.T for other in parts[:index + 1]]
    return lower([jnp.concatenate(pairs(index), 1) for index in range(len(parts))], sum(map(len, parts)))


def symmetric(columns):
    """The upper triangle by columns, as BLAS sees it, is the lower one by rows."""
    def call(columns):
        return dsyrk(1.0, np.asarray(columns).T, trans=1).T

    size = len(columns)
    return jax.pure_callback(call, jax.ShapeDtypeStruct((size, size), columns.dtype), columns)


VARIANTS = {
    "autodiff": Variant(by_points(residual_nested, 0), lambda rows: rows.T @ rows),
    "grad": Variant(by_points(residual_jets, 1), blocks),
    "outer": Variant(outer, blocks),
    "layers": Variant(outer_parts, layer_blocks),
    "callback": Variant(outer, symmetric),
    "linearize": Variant(linearized, blocks),
}


def transposed_times(jacobian, r):
    """R^T rho, of R, R^T or its parts."""
    if isinstance(jacobian, list):
        return jnp.concatenate([part @ r for part in jacobian])
    return r @ jacobian if len(jacobian) == len(r) else jacobian @ r


def attempt(case, theta, at, damping):
    """One solve, one look at the values, the decision: whether to take d, d, and the next damping."""
    phi, g, matrix, scale = at
    mu = damping * scale
    factor = jax.lax.linalg.cholesky(matrix + mu * jnp.eye(len(g)), symmetrize_input=False)
    d = -cho_solve((factor, True), g)
    # d.Hd = -g.d - mu d.d, by what d solves.
    predicted = -0.5 * (g @ d) + 0.5 * mu * (d @ d)
    fall = jnp.where(predicted > 0, phi - merit(case, theta + d), jnp.nan)
    taken = fall >= ACCEPT * predicted
    good = jnp.where(fall < 0.25 * predicted, jnp.minimum(2 * damping, MOST_DAMPING),
                     jnp.where(fall < 0.5 * predicted, damping, jnp.maximum(damping / 3, LEAST_DAMPING)))
    return taken, d, jnp.where(taken, good, jnp.clip(4 * damping, LEAST_DAMPING, MOST_DAMPING))


def step_of(variant, case):
    """A compiled step: (theta, damping, attempts so far) to the same after it."""
    def step(theta, damping, tried):
        r, jacobian = variant.rows(case, theta)
        matrix = 2 * variant.product(jacobian)
        at = r @ r, 2 * transposed_times(jacobian, r), matrix, jnp.trace(matrix) / len(theta)
        again = lambda state: ~state[0] & (state[3] < ATTEMPTS)
        once = lambda state: (*attempt(case, theta, at, state[2]), state[3] + 1)
        start = (jnp.array(False), jnp.zeros_like(theta), damping, jnp.array(0))
        taken, d, damping, count = jax.lax.while_loop(again, once, start)
        return jnp.where(taken, theta + d, theta), damping, tried + count

    return jax.jit(step)


def run(step, steps, theta, damping):
    state = jnp.array(theta), jnp.array(damping), jnp.array(0)
    for _ in range(steps):
        state = step(*state)
    return jax.block_until_ready(state)


def distance(ours, theirs):
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(ours))


def measure(name, first, last):
    """The first step against ours, then the steps from there on: the same, and the fastest repetition of them."""
    step = step_of(VARIANTS[name], first)
    theta, damping, _ = run(step, 1, first.before, DAMPING)
    once = distance(first.theta, theta), abs(float(damping) / first.damping - 1)
    best = float("inf")
    for _ in range(OPTIONS.repeat):
        start = time.perf_counter()
        theta, damping, attempts = run(step, OPTIONS.steps, first.theta, first.damping)
        best = min(best, time.perf_counter() - start)
    value = jax.jit(lambda theta: merit(first, theta))
    line = {"event": "bench", "peer": "jax", "variant": name, "problem": first.name, "method": "gauss_newton",
            "ms_per_step": best / OPTIONS.steps * 1e3,
            "attempts": int(attempts), "merit": float(value(theta)), "our_merit": float(value(last.theta)),
            "theta_after_first": once[0], "damping_after_first": once[1], "theta_after_last": distance(last.theta, theta),
            "damping_after_last": abs(float(damping) / last.damping - 1), "threads": OPTIONS.threads,
            "version": jax.__version__}
    print(json.dumps(line), flush=True)


def main():
    first, last = (read(OPTIONS.case, path) for path in (OPTIONS.first, OPTIONS.last))
    for name in OPTIONS.variants.split(","):
        measure(name, first, last)


if __name__ == "__main__":
    main()
