"""`af.minimize`: results, refusals, exceptions of the user's functions."""

from __future__ import annotations

import doctest
import importlib
import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from problems import PROBLEMS, hs6_residuals

import adamflip as af


def bowl(x):
    return float(x @ x), 2.0 * x


def plane(x):
    return np.array([x.sum() - 1.0]), np.ones((1, x.size))


@pytest.mark.parametrize("name", PROBLEMS)
def test_default_solves(name):
    problem = PROBLEMS[name]
    constraints = {"inequalities" if problem.bounds else "constraints": problem.constraints}
    result = af.minimize(problem.fun, problem.start, tol=1e-8, **constraints)
    assert result.success and result.status == "converged", result
    # A gradient of 1e-8 against second derivatives of order one, and of 1e-2 at hs39.
    assert np.abs(result.x - problem.solution).max() < 1e-5
    gradient, jacobian = problem.fun(result.x)[1], np.array(problem.constraints(result.x)[1])
    assert np.linalg.norm(gradient + jacobian.T @ result.multipliers) == pytest.approx(result.kkt, abs=1e-12)


def test_curvature_of_residuals():
    problem = PROBLEMS["hs6"]
    result = af.minimize(None, problem.start, problem.constraints, residuals=hs6_residuals)
    assert result.success and np.abs(result.x - 1.0).max() < 1e-5, result
    free = af.minimize(None, problem.start, residuals=lambda x: (x - 3.0, np.eye(2)), method="gauss_newton")
    assert free.success and np.abs(free.x - 3.0).max() < 1e-6 and free.multipliers.shape == (0,)


@pytest.mark.parametrize(
    "method",
    [name for name in af.methods() if name not in {"newtonflip", "gauss_newton", "newton_rows", "newton_cg"}],
)
def test_every_method_runs(method):
    result = af.minimize(bowl, [1.0, 2.0], plane, method, steps=50)
    assert result.x.shape == (2,) and np.isfinite(result.x).all() and result.nit <= 50
    assert result.message.endswith(".")


def test_inequalities():
    """Hock and Schittkowski 35, bounds that are felt and one that is not."""

    def hs35(x):
        f = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * x[0] ** 2 + 2 * x[1] ** 2 + x[2] ** 2
        f += 2 * x[0] * x[1] + 2 * x[0] * x[2]
        slope = [-8 + 4 * x[0] + 2 * x[1] + 2 * x[2], -6 + 4 * x[1] + 2 * x[0], -4 + 2 * x[2] + 2 * x[0]]
        return f, np.array(slope)

    def bounds(x):
        rows = np.vstack([[1.0, 1.0, 2.0], -np.eye(3)])
        return rows @ x - np.array([3.0, 0.0, 0.0, 0.0]), rows

    result = af.minimize(hs35, [0.5, 0.5, 0.5], inequalities=bounds, tol=1e-8)
    assert result.success and result.fun == pytest.approx(1 / 9, abs=1e-8), result
    assert np.abs(result.x - [4 / 3, 7 / 9, 4 / 9]).max() < 1e-6
    assert result.active.tolist() == [True, False, False, False] and result.inequalities == 4
    assert result.multipliers[0] == pytest.approx(2 / 9, abs=1e-6) and result.violation < 1e-7
    # With an equation too: the point of the line nearest to zero, above a bound that it feels.
    result = af.minimize(
        bowl,
        [2.0, 3.0],
        {"line": plane},
        inequalities={"above": lambda x: (np.array([0.8 - x[0]]), np.array([[-1.0, 0.0]]))},
    )
    assert result.success and np.abs(result.x - [0.8, 0.2]).max() < 1e-6, result
    assert result.constraints.shape == (2,) and result.active.tolist() == [True]
    free = af.minimize(bowl, [2.0, 3.0], inequalities=lambda x: (np.array([x[0] - 1.0]), np.array([[1.0, 0.0]])))
    assert free.success and free.active.tolist() == [False] and np.abs(free.x).max() < 1e-6
    with pytest.raises(af.InputError, match="both"):
        af.minimize(bowl, [2.0, 3.0], {"line": plane}, inequalities=plane)
    with pytest.raises(af.InputError, match="`inequalities` is not a function"):
        af.minimize(bowl, [2.0, 3.0], inequalities=3)


@pytest.mark.parametrize("method", af.methods())
def test_every_method_takes_inequalities(method):
    """The bounds are met as far as each method goes: `adam` and its kind add up what is violated."""
    problem = PROBLEMS["hs35"]
    squares = method in {"newtonflip", "gauss_newton", "newton_rows", "newton_cg"}
    objective = {"residuals": problem.residuals} if squares else {}
    fun = None if squares else problem.fun
    bounds = problem.constraints
    result = af.minimize(fun, problem.start, method=method, inequalities=bounds, steps=300, **objective)
    assert np.isfinite(result.x).all() and result.inequalities == 4 and result.active.shape == (4,)
    assert (result.multipliers >= 0.0).all() and result.message.endswith(".")
    if method in {"newtonflip", "newton_rows", "newton_cg", "trsqp"}:
        assert result.success and np.abs(result.x - problem.solution).max() < 1e-5, result


def test_results_can_be_pickled():
    result = af.minimize(bowl, [2.0, 3.0], inequalities=plane)
    again = pickle.loads(pickle.dumps(result))
    assert repr(again) == repr(result) and (again.active == result.active).all()


def test_inequalities_cannot_be_met():
    apart = lambda x: (np.array([x[0], 1.0 - x[0]]), np.array([[1.0, 0.0], [-1.0, 0.0]]))
    result = af.minimize(bowl, [3.0, -1.0], inequalities=apart)
    assert result.status == "infeasible" and result.x[0] == pytest.approx(0.5, abs=1e-6), result
    assert result.violation == pytest.approx(1.0, abs=1e-6)


def test_forms_of_functions():
    both = af.minimize(bowl, [3.0, 1.0], plane, "trsqp")
    parts = af.minimize(lambda x: x @ x, [3.0, 1.0], plane, "trsqp", jac=lambda x: 2.0 * x)
    named = af.minimize(bowl, [3.0, 1.0], {"plane": plane}, "trsqp")
    # One constraint without its axis; lists; other kinds of numbers; columns in memory.
    bare = af.minimize(
        lambda x: (x @ x, list(2.0 * x)), (3, 1), lambda x: (x.sum() - 1.0, np.ones(2)), "trsqp"
    )
    columns = af.minimize(
        bowl, np.float32([3, 1]), lambda x: (plane(x)[0], np.asfortranarray(plane(x)[1])), "trsqp"
    )
    for other in (parts, named, bare, columns):
        assert (other.x == both.x).all()


def test_settings_and_named_gains():
    constraints = {"plane": plane, "point": lambda x: (x[:1], np.array([[1.0, 0.0]]))}
    run = lambda gain: af.minimize(bowl, [1.0, 2.0], constraints, "adamflip", steps=5, lr=1e-2, gain=gain).x
    assert (run({"plane": 7.0}) == run([7.0, 100.0])).all()
    assert (run({"plane": 7.0}) != run(7.0)).any()
    assert (run(np.array([7.0, 8.0])) == run([7.0, 8.0])).all()


def test_the_result_displays_itself():
    text = repr(af.minimize(bowl, np.ones(100), plane))
    assert "success: True" in text and "multipliers: [-0.02" in text and "..." in text


def test_callback_sees_steps_and_stops():
    seen = []
    result = af.minimize(
        bowl, [1.0, 2.0], plane, "adamflip", callback=lambda step: seen.append(step) or step.nit == 3
    )
    assert (result.status, result.nit, len(seen), result.success) == ("stopped", 3, 3, False)
    assert seen[0].fun == 5.0 and (seen[-1].x == result.x).all()

    def stop(step):
        raise StopIteration

    assert af.minimize(bowl, [1.0, 2.0], plane, "adamflip", callback=stop).nit == 1


def test_ends():
    contradiction = lambda x: (np.array([x[0], x[0] - 1.0]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert af.minimize(bowl, [3.0, -1.0], contradiction).status == "infeasible"
    assert af.minimize(bowl, [3.0, -1.0], plane, "adamflip", steps=2).status == "max_steps"
    broken = lambda x: (float(x @ x) if x[0] > 1.0 else np.nan, 2.0 * x)
    result = af.minimize(broken, [3.0, 3.0], method="adam", lr=0.5, schedule="constant")
    assert result.status == "not_finite" and result.x[0] > 1.0


def test_exceptions_come_through():
    class Mine(Exception):
        pass

    calls = []

    def fails(x):
        calls.append(x)
        if len(calls) == 3:
            raise Mine("here")
        return bowl(x)

    with pytest.raises(Mine, match="here"):
        af.minimize(fails, [1.0, 2.0], plane)
    assert len(calls) == 3
    with pytest.raises(Mine):
        af.minimize(bowl, [1.0, 2.0], plane, callback=lambda step: (_ for _ in ()).throw(Mine()))


def test_interrupts():
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        af.minimize(bowl, [1.0, 2.0], plane, "adamflip", steps=10**9, tol=0)
    assert time.monotonic() - start < 10


def test_threads_and_nested_runs():
    inner = lambda x: (af.minimize(bowl, x, plane).fun + float(x @ x), 2.0 * x)
    expected = af.minimize(inner, [1.0, 2.0], plane, steps=5).x
    found = []
    run = lambda: found.append(af.minimize(inner, [1.0, 2.0], plane, steps=5).x)
    threads = [threading.Thread(target=run) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all((x == expected).all() for x in found) and len(found) == 4


REFUSED = {
    "shape of x0": (lambda: af.minimize(bowl, [[1.0, 2.0]]), r"`x0` has the shape \(1, 2\)"),
    "empty x0": (lambda: af.minimize(bowl, []), r"`x0` has the shape \(0,\)"),
    "NaN in x0": (lambda: af.minimize(bowl, [np.nan]), "infinite or NaN"),
    "text in x0": (lambda: af.minimize(bowl, ["a"]), "not an array of numbers"),
    "no function": (lambda: af.minimize(3, [1.0]), "`fun` is not a function"),
    "no objective": (lambda: af.minimize(None, [1.0]), "either `fun` or `residuals`"),
    "two objectives": (lambda: af.minimize(bowl, [1.0], residuals=bowl), "not both"),
    "no gradient": (
        lambda: af.minimize(lambda x: 1.0, [1.0]),
        r"must return the pair \(f, gradient\), not float",
    ),
    "jac=False": (lambda: af.minimize(bowl, [1.0], jac=False), "neither True nor a function"),
    "gradient's shape": (
        lambda: af.minimize(lambda x: (1.0, np.ones(3)), [1.0]),
        r"shape \(3,\), not \(1,\)",
    ),
    "value's type": (lambda: af.minimize(lambda x: ("a", x), [1.0]), "not a number"),
    "NaN at the start": (
        lambda: af.minimize(lambda x: (np.nan, x), [1.0]),
        "the objective is infinite or NaN at x0",
    ),
    "Jacobian's shape": (
        lambda: af.minimize(bowl, [1.0, 2.0], lambda x: (np.ones(2), np.ones((2, 3)))),
        r"shape \(2, 3\), not \(2, 2\)",
    ),
    "text in J": (lambda: af.minimize(bowl, [1.0], lambda x: (x, "a")), "not an array of numbers"),
    "constraints' type": (
        lambda: af.minimize(bowl, [1.0], [plane]),
        "`constraints` is not a function but list",
    ),
    "method": (lambda: af.minimize(bowl, [1.0], method="adamflop"), "hint: did you mean `adamflip`?"),
    "method's type": (lambda: af.minimize(bowl, [1.0], method=3), "not a name"),
    "curvature": (
        lambda: af.minimize(bowl, [1.0], method="newtonflip"),
        "needs the objective as a sum of squares",
    ),
    "setting": (lambda: af.minimize(bowl, [1.0], method="adamflip", gian=3), "hint: did you mean `gain`?"),
    "setting's value": (
        lambda: af.minimize(bowl, [1.0], method="adamflip", lr=-1),
        "hint: write a positive number",
    ),
    "setting's type": (
        lambda: af.minimize(bowl, [1.0], method="adamflip", lr=object()),
        "hint: write a positive number",
    ),
    "own keyword": (lambda: af.minimize(bowl, [1.0], constraint=plane), "hint: did you mean `constraints`?"),
    "gains": (lambda: af.minimize(bowl, [1.0], plane, "adamflip", gain=[1, 2]), "there are 1 constraints"),
    "gain's name": (
        lambda: af.minimize(bowl, [1.0], {"plane": plane}, "adamflip", gain={"plan": 1}),
        "hint: did you mean `plane`?",
    ),
    "gains without names": (
        lambda: af.minimize(bowl, [1.0], plane, "adamflip", gain={"plane": 1}),
        "the constraints have no names",
    ),
    "steps": (lambda: af.minimize(bowl, [1.0], steps=0), "`steps` is 0"),
    "huge steps": (lambda: af.minimize(bowl, [1.0], steps=10**30), "not a whole number from 1"),
    "tol": (lambda: af.minimize(bowl, [1.0], tol=-1), "`tol` is -1"),
    "callback": (lambda: af.minimize(bowl, [1.0], callback=3), "`callback` is not a function"),
    "inequalities' keyword": (
        lambda: af.minimize(bowl, [1.0], inequality=plane),
        "hint: did you mean `inequalities`?",
    ),
    "inequalities' pair": (
        lambda: af.minimize(bowl, [1.0], inequalities=lambda x: x),
        r"`inequalities` must return the pair \(g, Jacobian of g\), not ndarray",
    ),
    "inequalities' Jacobian": (
        lambda: af.minimize(bowl, [1.0, 2.0], plane, inequalities=lambda x: (np.ones(2), np.ones((2, 3)))),
        r"the Jacobian of `inequalities` has the shape \(2, 3\), not \(2, 2\)",
    ),
    "inequalities' list": (
        lambda: af.minimize(bowl, [1.0], inequalities=[plane]),
        "`inequalities` is not a function but list",
    ),
    "inequalities' entries": (
        lambda: af.minimize(bowl, [1.0], inequalities={"a": 3}),
        "'a' is not a function under a name",
    ),
    "gain of an inequality": (
        lambda: af.minimize(
            bowl, [1.0], {"a": plane}, "adamflip", inequalities={"below": plane}, gain={"belw": 1}
        ),
        "hint: did you mean `below`?",
    ),
    "size": (
        lambda: af.minimize(None, np.ones(30_000), residuals=lambda x: (x[:1], np.ones((1, x.size)))),
        "keeps an n × n matrix",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, text = REFUSED[case]
    with pytest.raises(af.InputError, match=text) as caught:
        call()
    assert isinstance(caught.value, (af.Error, ValueError)) and caught.value.hint
    assert f"\nhint: {caught.value.hint.splitlines()[0]}" in str(caught.value)


@pytest.mark.parametrize("given", [{"gian": 3}, {"constraint": plane}, {"inequality": plane}])
def test_unknown_keywords_have_a_class_of_their_own(given):
    with pytest.raises(af.KeywordError, match="did you mean"):
        af.minimize(bowl, [1.0], method="adamflip", **given)


def test_shapes_that_change_later_are_refused():
    calls = []

    def grows(x):
        calls.append(0)
        m = 1 if len(calls) < 3 else 2
        return np.zeros(m) + x.sum() - 1.0, np.ones((m, x.size))

    with pytest.raises(af.InputError, match=r"shape \(2,\), not \(1,\)"):
        af.minimize(bowl, [1.0, 2.0], grows, "adamflip", tol=0)


@pytest.mark.parametrize("name", ["", ".batch", ".optimize", ".problem", ".run", ".shapes", ".symbolic"])
def test_docstrings(name):
    if name == ".symbolic":
        pytest.importorskip("sympy")
    assert doctest.testmod(importlib.import_module(f"adamflip{name}")).failed == 0


def test_a_step_costs_little():
    """At most 20 µs of this thread beyond the user's functions; the best of five, on a busy machine."""
    gradient, h, rows = np.array([1.0, 1.0]), np.array([0.5]), np.ones((1, 2))
    fun, constraints = lambda x: (1.0, gradient), lambda x: (h, rows)
    steps = 5_000

    def per_step():
        start = time.thread_time()
        af.minimize(fun, [1.0, 2.0], constraints, "adamflip", steps=steps, tol=0)
        return (time.thread_time() - start) / steps

    best = min(per_step() for _ in range(5))
    print(f"{best * 1e6:.2f} µs a step")
    assert best < 20e-6
