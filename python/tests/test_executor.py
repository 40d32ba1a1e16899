"""Batches on executors: the same tables as without, from jobs that other processes run."""

from __future__ import annotations

import pickle
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import adamflip as af
from adamflip.executor import Job, run_job

pytest.importorskip("pandas")


class Here:
    """Runs jobs at once, and keeps them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs += args
        future.set_result(fn(*args, **kwargs))
        return future


def numbers(frame: Any) -> Any:
    """What does not depend on how long runs took."""
    return frame.drop(columns=[name for name in frame.columns if name in ("seconds", "steps/s")])


def test_a_pool_of_processes_comes_to_the_same_tables(decay: af.Problem) -> None:
    choices: dict[str, Any] = {"steps": 30, "seeds": [0, 1], "progress": False}
    alone = af.compare(decay, ["adam", "adamflip"], out="alone", **choices)
    with ProcessPoolExecutor(2) as pool:
        frame = af.compare(decay, ["adam", "adamflip"], out="shared", executor=pool, **choices)
        swept = af.sweep(decay, {"network.hidden": ["2x4", "2x8"]}, steps=20, executor=pool, progress=False)
    assert numbers(frame).equals(numbers(alone)) and not frame["failed"].any()
    assert Path(frame.attrs["folder"], "table.csv").is_file()
    assert set(swept["network.hidden"]) == {"2x4", "2x8"}
    # Nothing but the folders of the batches is left beside them.
    assert sorted(path.name for path in Path().iterdir()) == ["alone", "runs", "shared"]
    assert [path.name for path in Path("runs").iterdir()] == ["sweep-1"]


def test_every_run_is_a_job_that_can_be_pickled(decay: af.Problem) -> None:
    here = Here()
    af.sweep(decay, {"network.hidden": ["2x4", "2x8"]}, seeds=[0, 1], steps=5, executor=here, progress=False)
    assert len(here.jobs) == 4 and all(pickle.loads(pickle.dumps(job)) == job for job in here.jobs)
    again = run_job(Job(("--version",), ".", __file__))
    assert again.code == 0 and again.sees


def test_what_an_executor_cannot_do_is_told(decay: af.Problem) -> None:
    with pytest.raises(af.InputError, match="no method `submit`"):
        af.compare(decay, ["adam"], steps=5, executor=3, progress=False)  # type: ignore[arg-type]
    assert not run_job(Job((), ".", "not/there.toml")).sees
    # What the program refuses comes back from the workers.
    with pytest.raises(af.InputError, match="did you mean"):
        af.sweep(decay, {"network.hiden": ["2x4"]}, steps=5, executor=Here(), progress=False)


def test_a_local_cluster_of_dask(decay: af.Problem) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        executor = client.get_executor()
        frame = af.compare(decay, ["adam", "adamflip"], steps=20, executor=executor, progress=False)
    assert list(frame["method"]) == ["adam", "adamflip"] and not frame["failed"].any()
