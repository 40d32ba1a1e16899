"""One problem solved by jinns for some seconds of training: its error against time, printed as a line of JSON.

jinns compiles its whole loop once. A validation module, which its loop calls between steps, gives time and parameters to
the host and says when time is up; errors are measured afterwards and cost nothing. Compilation is told apart.
"""
import argparse
import contextlib
import io
import json
import sys
import time
from importlib.metadata import version

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import jinns  # noqa: E402
from jax.experimental import io_callback  # noqa: E402
from jax.flatten_util import ravel_pytree  # noqa: E402
from jinns.validation import AbstractValidationModule  # noqa: E402

from jinns_cases import CASES, grid, problem  # noqa: E402

# Errors on a curve: enough for a figure; that of a million points takes a second.
MEASURED = 60
# Steps of a loop that only time ends.
FOREVER = 200_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=CASES, required=True)
    parser.add_argument("--optimizer", choices=("ngd", "ssbroyden"), required=True)
    parser.add_argument("--seconds", type=float, default=120.0, help="of training, compilation not counted")
    parser.add_argument("--weight", type=float, default=1.0, help="of the conditions")
    parser.add_argument("--ridge", type=float, default=1e-5, help="gram_reg of the natural gradient")
    parser.add_argument("--adam", type=int, default=0, help="steps of Adam before")
    parser.add_argument("--rate", type=float, default=3e-3, help="of Adam")
    parser.add_argument("--sampler", choices=("uniform", "sobol", "halton"), default="uniform")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


class Record:
    """Parameters by seconds of training, over all stages."""

    def __init__(self, seconds):
        self.budget, self.before, self.compiling, self.seen = seconds, 0.0, 0.0, []
        self.start, self.every, self.steps, self.used, self.processor = None, 1, 0, 0.0, 0.0

    def see(self, theta):
        now = self.before + time.perf_counter() - self.start
        self.steps += self.every
        self.seen.append((now, self.steps, np.array(theta)))
        return np.array(now >= self.budget)


class Look(AbstractValidationModule):
    call_every: int = eqx.field(kw_only=True)
    record: Record = eqx.field(kw_only=True, static=True)

    def __call__(self, params):
        theta = ravel_pytree(params.nn_params)[0]
        over = io_callback(self.record.see, jax.ShapeDtypeStruct((), jnp.bool_), theta)
        return self, over, jnp.asarray(jnp.nan, theta.dtype), False


class Announced(io.StringIO):
    """jinns prints how long it compiled just before it trains."""

    def __init__(self, record):
        super().__init__()
        self.record, self.started = record, time.perf_counter()

    def write(self, text):
        if "Compilation took" in text:
            self.record.start = time.perf_counter()
            self.record.compiling += self.record.start - self.started
            self.record.processor = time.process_time()
        return super().write(text)


def train(record, every, loss, data, params, optimizer, steps, **extra):
    record.every = every
    with contextlib.redirect_stdout(Announced(record)):
        found = jinns.solve(n_iter=steps, init_params=params, data=data, loss=loss, optimizer=optimizer,
                            print_loss_every=steps + 1, validation=Look(call_every=every, record=record), **extra)
    record.before += time.perf_counter() - record.start
    record.used += time.process_time() - record.processor
    return found[0], found[3]


def callback_value_fn(params, batch, loss):
    return loss.evaluate(params, batch)[0]


def callback_grad_fn(params, batch, loss):
    return loss.ponderate_and_sum_gradient(loss.values_and_grads(params, batch)[1])


def broyden_arguments():
    """What the line search and the update ask jinns for."""
    own = {"value": "train_loss_value", "grad_pt": "grads", "batch": "batch", "loss": "loss"}
    named = {name: jinns.solver.GetJinnsVariableName(variable) for name, variable in own.items()}
    return {**named, "value_fn": callback_value_fn, "grad_fn": callback_grad_fn}


def solve(options, record):
    loss, data, params = problem(options.case, options.seed, options.weight, options.sampler)
    if options.adam:
        params, data = train(record, 50, loss, data, params, optax.adam(options.rate), options.adam)
    if options.optimizer == "ngd":
        train(record, 1, loss, data, params, jinns.optimizers.vanilla_ngd(gram_reg=options.ridge), FOREVER)
    else:
        train(record, 10, loss, data, params, jinns.optimizers.scale_by_SSBroyden_family(), FOREVER,
              extra_optax_args_and_kwargs=broyden_arguments())
    return loss.u, params


def chosen(seen):
    """Rows at about equal distances of the logarithm of time, with the first and the last."""
    times = np.array([row[0] for row in seen])
    wanted = np.geomspace(times[0], times[-1], MEASURED)
    return [seen[index] for index in sorted(set(np.searchsorted(times, wanted).clip(0, len(seen) - 1)))]


def errors(case, u, params, rows):
    points, exact = grid(case)
    unravel = ravel_pytree(params.nn_params)[1]
    at = jax.jit(lambda theta, points: jax.vmap(lambda point: u(point, eqx.tree_at(
        lambda params: params.nn_params, params, unravel(theta)))[0])(points))
    norm = np.linalg.norm(exact)
    for seconds, step, theta in rows:
        values = np.concatenate([at(theta, part) for part in np.array_split(points, 1 + len(points) // 50_000)])
        yield seconds, step, float(np.linalg.norm(values - exact) / norm)


def main():
    options = arguments()
    record = Record(options.seconds)
    u, params = solve(options, record)
    rows = [row for row in errors(options.case, u, params, chosen(record.seen))]
    finite = bool(np.isfinite(record.seen[-1][2]).all())
    print(json.dumps({"event": "bench", "peer": "jinns", "version": version("jinns"), "problem": options.case,
                      "optimizer": options.optimizer, "compile_seconds": record.compiling,
                      "cores": record.used / record.before, "finite": finite,
                      "seconds": record.seen[-1][0], "steps": record.seen[-1][1],
                      "parameters": int(record.seen[-1][2].size), "curve": rows}))


if __name__ == "__main__":
    sys.exit(main())
