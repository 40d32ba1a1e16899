"""Solving and what comes of it: numpy in and out, interrupts, threads, pickles, and the same bits as the program."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adamflip as af


def burgers(points: int = 200) -> af.Problem:
    p = af.Problem("u", x=(-1, 1), t=(0, 1), constants={"nu": "0.1"}, name="burgers")
    p.term("pde", "u_t + u*u_x = nu*u_xx", points=points)
    p.term("initial", "u = -sin(pi*x)", on="t = 0", points=50)
    p.term("walls", "u = 0", on=["x = -1", "x = 1"], points=50)
    p.set(network={"hidden": "2x10"})
    return p


def theta(path: Path) -> bytes:
    """The bytes of the trained parameters."""
    import json

    file = (path / "checkpoint.safetensors").read_bytes()
    length = int.from_bytes(file[:8], "little")
    first, last = json.loads(file[8 : 8 + length])["theta"]["data_offsets"]
    return file[8 + length + first : 8 + length + last]


def test_values_are_arrays(decay: af.Problem) -> None:
    run = decay.solve()
    x = np.linspace(0, 1, 7)
    assert np.allclose(run.u(x=x), np.exp(-2 * x), atol=1e-3)
    assert run("u_x + 2*u", x=x.reshape(7, 1)).shape == (7, 1)
    assert run.u(x=0.5).shape == () and run.u(x=[]).shape == (0,)
    assert np.array_equal(run.u(x=x[::2]), run.u(x=x)[::2])
    assert run.status == "converged" and "solved" in str(run)
    assert run.estimate["u"]["rel_l2"] < 1e-3 and run.certificate["terms"]["ode"]["fresh"]["rms"] < 1e-2
    with pytest.raises(af.InputError, match="no value"):
        run("u")
    with pytest.raises(af.InputError, match="not a coordinate"):
        run.u(y=0, x=0)
    with pytest.raises(af.ProblemError, match="hint"):
        run("v", x=0)
    with pytest.raises(af.InputError, match="keywords") as raised:
        run.u(0.5)
    assert raised.value.hint == "write run.u(x=…)"
    with pytest.raises(AttributeError, match="its fields are u"):
        run.v  # noqa: B018


def test_broadcasting_and_frames() -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("pandas")
    run = burgers().solve(steps=20)
    values = run.u(x=np.zeros((4, 1)), t=np.linspace(0, 1, 3))
    assert values.shape == (4, 3) and np.array_equal(values[0], values[3])
    grid = run.grid(x=5, t=[0.0, 1.0])
    assert grid["u"].dims == ("x", "t") and grid["u"].shape == (5, 2)
    assert list(grid["x"].values) == [-1, -0.5, 0, 0.5, 1]
    assert {"step", "seconds"} <= set(run.history.columns) and len(run.unknowns) == 0
    assert run.grid(x=np.int64(4), t=np.array([0.5])).sizes == {"x": 4, "t": 1}
    with pytest.raises(af.InputError, match="fit each other"):
        run.u(x=np.zeros(2), t=np.zeros(3))
    for wrong in [0, -3, 10**9, "many", [[0.0]]]:
        with pytest.raises(af.InputError, match="nodes of|nodes"):
            run.grid(x=wrong)
    with pytest.raises(af.InputError, match="grid has"):
        run.grid(x=20_000, t=20_000)


def test_contiguous_points_are_not_copied() -> None:
    run = burgers().solve(steps=2)
    x, t = np.linspace(-1, 1, 400_000), np.full(400_000, 0.5)
    run.u(x=x, t=t)
    tracemalloc.start()
    values = run.u(x=x, t=t)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # What comes back belongs to Rust, and is not seen.
    assert values.shape == x.shape and peak < x.nbytes / 10


def test_unknowns_have_intervals() -> None:
    pytest.importorskip("pandas")
    x = np.linspace(0, 1, 60)
    noise = 1e-2 * np.random.default_rng(0).normal(size=60)
    p = af.Problem("u", x=(0, 1), unknowns={"k": 1.0}, network={"hidden": "2x8"})
    p.term("ode", "u_x = -k*u", points=50)
    p.term("seen", data={"x": x, "u": np.exp(-3 * x) + noise})
    row = p.solve(budget="20s").unknowns.loc["k"]
    assert row["lower"] < 3 < row["upper"] and row["identified"]


def test_callbacks_see_end_and_fail(decay: af.Problem) -> None:
    seen: list[dict[str, Any]] = []
    run = decay.solve(callback=lambda moment: seen.append(moment) or len(seen) == 5)
    assert run.status == "interrupted" and [moment["step"] for moment in seen] == [1, 2, 3, 4, 5]
    assert set(seen[0]["residuals"]) == {"ode", "start"} and seen[0]["method"] == "adam"

    def fails(moment: dict[str, Any]) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        decay.solve(callback=fails, out="kept")
    assert af.open("kept").resume().status == "converged"


def test_ctrl_c_leaves_a_run_that_resumes_to_the_same_bits() -> None:
    whole = burgers().solve(steps=400, out="whole", threads=1)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        burgers(2000).solve(out="long", budget="60s", threads=1)
    assert time.monotonic() - start < 5
    assert af.open("long").status == "interrupted"

    def stop(moment: dict[str, Any]) -> bool:
        return bool(moment["step"] == 150)

    cut = burgers().solve(steps=400, out="cut", threads=1, callback=stop)
    assert cut.summary["steps"] == 150
    assert theta(cut.resume(threads=2).path) == theta(whole.path)


def test_the_bits_are_those_of_the_program() -> None:
    problem = burgers()
    problem.save("burgers.toml")
    words = ["solve", "burgers.toml", "--steps", "60", "--seed", "3", "--out", "program"]
    ended = subprocess.run([sys.executable, "-m", "adamflip", *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    run = problem.solve(steps=60, seed=3, out="python")
    assert theta(run.path) == theta(Path("program"))
    # Each opens the other's.
    assert np.array_equal(af.open("program").u(x=0.3, t=0.2), run.u(x=0.3, t=0.2))


def test_other_threads_go_on(decay: af.Problem) -> None:
    runs: list[af.Run] = []
    problem = burgers()
    workers = [threading.Thread(target=lambda n=n: runs.append(problem.solve(steps=50, seed=n))) for n in range(3)]
    for worker in workers:
        worker.start()
    ticks = 0
    while any(worker.is_alive() for worker in workers):
        ticks += 1
        time.sleep(0.001)
    assert ticks > 10 and len({run.path for run in runs}) == 3


def test_runs_are_pickled_by_their_folder(decay: af.Problem) -> None:
    run = decay.solve()
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.u(x=0.5), run.u(x=0.5))
    error = pickle.loads(pickle.dumps(af.InputError("a", "b")))
    assert str(error) == "a\nhint: b"


def test_problems_say_how_they_travel(decay: af.Problem) -> None:
    with pytest.raises(af.InputError, match=r"p\.save"):
        pickle.dumps(decay)


def in_a_fork(work: Callable[[], object]) -> bool:
    """Whether the work is done, and true, in a forked process within a minute."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 1
        finally:
            os._exit(code)
    for _ in range(600):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_have_threads_of_their_own(decay: af.Problem) -> None:
    run = decay.solve()
    x = np.linspace(0, 1, 50_000)
    expected = run.u(x=x)
    af.minimize(lambda x: (float(x @ x), 2 * x), [1.0], steps=2)
    assert in_a_fork(lambda: np.array_equal(run.u(x=x), expected))
    assert in_a_fork(lambda: decay.solve(out="child", progress=False).status == "converged")

    def refused() -> bool:
        with pytest.raises(af.InputError, match="spawn"):
            af.minimize(lambda x: (float(x @ x), 2 * x), [1.0], steps=2)
        return True

    assert in_a_fork(refused)


def test_a_run_of_another_version_or_problem_is_refused(decay: af.Problem) -> None:
    run = decay.solve()
    text = (run.path / "problem.toml").read_text()
    (run.path / "problem.toml").write_text(text.replace("u_x = -2*u", "u_x = -3*u"))
    with pytest.raises(af.InputError, match="is not the one that its checkpoint was trained on") as raised:
        af.open(run.path)
    assert "--start" in (raised.value.hint or "")
    (run.path / "problem.toml").write_text(text)
    state = run.path / "checkpoint.safetensors"
    # The layout is a number in the JSON text within the JSON header.
    newer = state.read_bytes().replace(b'\\"format\\":2', b'\\"format\\":9', 1)
    for file in run.path.glob("checkpoint*.safetensors"):
        file.write_bytes(newer)
    with pytest.raises(af.InputError, match="layout 9") as raised:
        af.open(run.path)
    assert raised.value.hint


def test_a_run_whose_folder_is_gone(decay: af.Problem) -> None:
    pytest.importorskip("pandas")
    run = decay.solve()
    value = float(run.u(x=0.5))
    shutil.rmtree(run.path)
    # What was read stays; what is read again is told.
    assert float(run.u(x=0.5)) == value
    for call in [
        lambda: run.summary,
        lambda: run.resume(),
        lambda: run.report(),
        lambda: af.open(run.path),
        lambda: run.history,
        lambda: str(run),
        lambda: run.unknowns,
        lambda: run.certificate,
    ]:
        with pytest.raises(af.Error):
            call()


def test_files_for_others(decay: af.Problem) -> None:
    run = decay.solve()
    for name in ["u.onnx", "u.npz", "u.csv", "u.vti"]:
        assert run.export(name).stat().st_size > 100
    with np.load("u.npz") as arrays:
        assert {"x", "u"} <= set(arrays.files)
    with pytest.raises(af.InputError, match="extension"):
        run.export("u.xyz")
    assert run.report().suffix == ".html"


def test_a_run_without_an_answer_warns() -> None:
    p = af.Problem("u", x=(0, 1), network={"hidden": "2x6"})
    p.term("ode", "u_x = 1", points=20)
    p.term("also", "u = 0", role="objective", points=20)
    with pytest.warns(af.NotSolved) as told:
        p.solve(budget="10s")
    assert told[0].filename == __file__


def test_a_package_that_is_missing_is_told(decay: af.Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    run = decay.solve(steps=3, progress=False)
    for module in ["pandas", "xarray", "matplotlib.pyplot"]:
        monkeypatch.setitem(sys.modules, module, None)
    for call, package in [(lambda: run.history, "pandas"), (run.grid, "xarray"), (run.plot, "matplotlib")]:
        with pytest.raises(af.MissingPackage, match=f"this needs {package}") as raised:
            call()
        assert isinstance(raised.value, ImportError) and "pip install" in (raised.value.hint or "")
    # Without matplotlib a notebook shows the text alone.
    assert run._repr_html_().startswith("<pre>") and "<img" not in run._repr_html_()


def test_figures() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    run = burgers().solve(steps=20)
    figure = run.plot()
    assert [axis.get_xlabel() for axis in figure.axes][0] == "t"
    line = run.plot("u", t=0.5)
    assert line.axes[0].get_title() == "t = 0.5" and line.axes[0].get_ylabel() == "u"
    assert "<img" in run._repr_html_()


def test_batches(decay: af.Problem) -> None:
    pytest.importorskip("pandas")
    frame = af.compare(decay, ["plan", "adam"], steps=40, out="compared", progress=False)
    assert list(frame["method"]) == ["plan", "adam"] and not frame["failed"].any()
    assert (Path(frame.attrs["folder"]) / "table.csv").is_file()
    frame = af.sweep(decay, {"network.hidden": ["2x4", "2x8"]}, steps=40, out="swept", progress=False)
    assert set(frame["network.hidden"]) == {"2x4", "2x8"}
    with pytest.raises(af.InputError):
        af.compare(decay, ["adam"], steps=-1)


def test_choices_are_checked(decay: af.Problem) -> None:
    for choice, message in [
        ({"method": "adamflp"}, "did you mean `adamflip`"),
        ({"budget": "soon"}, "no time"),
        ({"steps": -1}, "whole number"),
        ({"seed": 1.5}, "whole number"),
        ({"set": {"network.hiden": 3}}, "did you mean `hidden`"),
        ({"profile": "none"}, "profile"),
        ({"profile": 3}, "must be a name"),
        ({"method": 3}, "must be a name"),
        ({"threads": 0}, "`threads` must be a whole number from 1"),
        ({"threads": -1}, "`threads` must be a whole number from 1"),
        ({"threads": 1.5}, "`threads` must be a whole number from 1"),
        ({"out": 3}, "not a path"),
        ({"start": 3}, "not a path"),
        ({"set": 3}, "not a mapping"),
    ]:
        with pytest.raises(af.InputError, match=message):
            decay.solve(**choice)
    with pytest.raises(af.KeywordError, match="did you mean `budget`") as raised:
        decay.solve(bugdet=3)  # type: ignore[call-arg]
    assert isinstance(raised.value, (af.InputError, TypeError))
    for call in [decay.check, lambda **keys: af.compare(decay, **keys), lambda **keys: af.sweep(decay, {}, **keys)]:
        with pytest.raises(af.KeywordError, match="did you mean `budget`"):
            call(bugdet=3)
    with pytest.raises(af.InputError, match="did you mean `unknowns`"):
        af.Problem("u", x=(0, 1), unknwns={"k": 1.0})
    held: list[Any] = []
    held.append(held)
    for nested in [{"network": held}, {"network.hidden": held}]:
        with pytest.raises(af.InputError, match="itself"):
            decay.solve(set=nested)
