"""Problems: what is built is the file that one would write, and errors are told as the program tells them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import adamflip as af

SHIPPED = Path(__file__).parents[2] / "problems"


def test_the_text_is_the_file() -> None:
    p = af.Problem("u", x=(-1, 1), t=(0, 1), constants={"nu": "0.01/pi"}, title="Burgers")
    p.term("pde", "u_t + u*u_x = nu*u_xx", points=2000)
    p.term("initial", "u = -sin(pi*x)", on="t = 0")
    p.term("walls", "u = 0", on=["x = -1", "x = 1"], tolerance="max < 0.05")
    assert p.to_toml() == (
        'title = "Burgers"\nfields = ["u"]\n\n[domain]\nx = [-1, 1]\nt = [0, 1]\n\n[constants]\n'
        'nu = "0.01/pi"\n\n[term.pde]\nequation = "u_t + u*u_x = nu*u_xx"\npoints = 2000\n\n'
        '[term.initial]\nequation = "u = -sin(pi*x)"\non = "t = 0"\n\n'
        '[term.walls]\nequation = "u = 0"\non = ["x = -1", "x = 1"]\ntolerance = "max < 0.05"\n'
    )
    p.save("burgers.toml")
    assert af.load("burgers.toml").to_toml() == p.to_toml()
    assert "u_t + u*u_x" in str(p.check())


def test_shipped_files_load_as_they_are() -> None:
    for path in sorted(SHIPPED.glob("*.toml")):
        problem = af.load(path)
        assert problem.to_toml() == path.read_text(encoding="utf-8")
        assert problem.fields and problem.coordinates and problem.name == path.stem
        assert "inside" not in problem.coordinates


def test_a_loaded_problem_can_be_changed() -> None:
    p = af.load(SHIPPED / "poisson_square.toml")
    p.set(network={"hidden": "2x10"})
    assert 'hidden = "2x10"' in p.to_toml()
    p.check()


def test_mistakes_have_place_and_hint(decay: af.Problem) -> None:
    decay.term("bad", "u_t = 0", poins=3)
    with pytest.raises(af.ProblemError) as raised:
        decay.check()
    error = raised.value
    assert isinstance(error, ValueError) and "did you mean `points`?" in str(error)
    assert {mistake["line"] for mistake in error.mistakes} == {21, 22}
    assert all(mistake["column"] >= 1 and mistake["hint"] for mistake in error.mistakes)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: af.Problem("u", x=3), "is not a range"),
        (lambda: af.Problem("u", x=(0, 1), constants={"a": object()}), "no problem file can hold"),
        (lambda: af.load("nowhere.toml"), "there is no file"),
        (lambda: af.Problem("u", x=(0, 1)).term("a", data=3), "are not understood"),
        (lambda: af.Problem("u", x=(0, 1)).term("a", data={"x": ["a"]}), "has no numbers"),
        (lambda: af.Problem("u", x=(0, 1)).term("a", data={"x": [1j]}), "is complex"),
        (lambda: af.Problem("u", x=(0, 1), constants={"a": 10**30}), "too many digits"),
        (lambda: af.open("nowhere"), "there is no folder"),
        (lambda: af.open(3), "not a path"),
        (lambda: af.load(None), "not a path"),
        (lambda: af.Problem(3, x=(0, 1)), "the fields are 3"),
        (lambda: af.Problem("u", x=(0, 1), name=3), "`name` is 3"),
        (lambda: af.Problem("u", x=(0, 1)).term(3, "u = 0"), "`name` is 3"),
        (lambda: af.Disk(0, 1), "`center` of a shape is 0"),
        (lambda: af.Polygon([1, 2]), "`corners` of a shape is 1"),
        (lambda: af.Box(x=1), "`x` of a shape is 1"),
        (lambda: af.Disk((0, 0), 1) + 3, "joined with shapes, not with int"),
    ],
)
def test_wrong_input_is_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(af.InputError, match=message) as raised:
        make()
    assert raised.value.hint


def test_arrays_of_a_wrong_shape(decay: af.Problem) -> None:
    decay.term("seen", data={"x": np.zeros(3), "u": np.zeros(4)})
    with pytest.raises(af.ProblemError, match="seen.npz"):
        decay.check()
    decay.term("seen", data={"x": np.zeros(1), "u": np.array([np.nan])})
    with pytest.raises(af.ProblemError, match="not a finite number"):
        decay.check()


def test_numbers_of_numpy_are_numbers() -> None:
    p = af.Problem("u", x=(np.float64(0), np.int64(1)), constants={"a": np.float32(0.5)})
    p.term("ode", "u_x = -a*u", points=np.int64(50), weight=np.float64(2))
    p.term("start", "u = 1", on="x = 0")
    p.set(network={"hidden": np.array([8, 8])}, train={"seed": np.int16(3)})
    assert "points = 50" in p.to_toml() and "hidden = [8, 8]" in p.to_toml()
    p.check(seed=np.int64(1), steps=np.uint8(5), budget=np.float32(3), set={"train.observe": np.int64(10)})


def test_shapes_join() -> None:
    plate, hole = af.Box(x=(-1, 1), y=(-1, 1), name="plate"), af.Disk((0, 0), 0.5, name="hole")
    p = af.Problem("T", x=(-1, 1), y=(-1, 1), inside=plate - hole)
    p.term("heat", "laplacian(T) = 0")
    p.term("inner", "T = 1", on=hole)
    assert 'inside = "plate - hole"' in p.to_toml() and 'on = "hole"' in p.to_toml()
    p.check()
    assert str((plate - hole) & af.Ball((0, 0), 1, name="ball")) == "(plate - hole) & ball"
    with pytest.raises(af.InputError, match="two different shapes"):
        plate + af.Disk((0, 0), 1, name="plate")


def test_sympy_equations() -> None:
    sp = pytest.importorskip("sympy")
    x, t, nu = sp.symbols("x t nu")
    u = sp.Function("u")(x, t)
    p = af.Problem("u", x=(-1, 1), t=(0, 1), constants={"nu": sp.Rational(1, 100)})
    p.term("pde", sp.Eq(u.diff(t) + u * u.diff(x), nu * u.diff(x, 2)))
    p.term("initial", sp.Eq(u, -sp.sin(sp.pi * x) ** 2), on="t = 0")
    p.term("periodic", sp.Eq(u, sp.Function("u")(1, t)), on="x = -1")
    p.term("source", u - sp.Piecewise((1, x < 0), (sp.exp(x), True)), role="objective")
    text = p.to_toml()
    assert "u*d(u, x) + d(u, t) = nu*d(u, x, x)" in text
    assert "u = -sin(pi*x)^2" in text and "u = u(1, t)" in text and "where(x < 0, 1, exp(x))" in text
    p.check()
    with pytest.raises(af.InputError, match="true or false"):
        p.term("always", sp.Eq(x, x))
