"""Many runs: methods compared, and keys varied. Each run is a process of its own, here or where an executor has workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from . import _adamflip
from .errors import InputError, RunFailure
from .executor import Executor, solve_shares
from .keywords import known_keywords
from .paths import path_of
from .problem import Problem
from .run import _needs

if TYPE_CHECKING:
    import pandas

__all__ = ["compare", "sweep"]


@known_keywords
def compare(
    problem: Problem | str | os.PathLike[str],
    methods: Sequence[str] = (),
    *,
    seeds: Sequence[int] = (0,),
    steps: int | None = None,
    budget: str | float | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    threads: int = 1,
    progress: bool = True,
    executor: Executor | None = None,
) -> pandas.DataFrame:
    """One problem under several methods: a row for each, with medians over the seeds (needs pandas).

    ``"plan"`` among the methods is the problem's own plan. The folder of runs, tables and figure is in
    ``frame.attrs["folder"]``; the same call with the same ``out`` goes on where it was interrupted.

    An ``executor`` (of :mod:`concurrent.futures`, Dask, Ray, mpi4py) has a job for each run; its workers see the
    folder ``out``.
    """
    arguments = ["--methods", ",".join(methods)] if methods else []
    common = _common(seeds=seeds, steps=steps, budget=budget, out=out, jobs=jobs, threads=threads)
    runs = (len(methods) or 3) * len(seeds)
    ended = _batch("compare", problem, [*arguments, *common], progress, out, (executor, runs))
    return _frame(ended, ["method", "setting"])


@known_keywords
def sweep(
    problem: Problem | str | os.PathLike[str],
    over: Mapping[str, Sequence[Any] | str],
    *,
    random: int | None = None,
    metric: str | None = None,
    method: str | None = None,
    seeds: Sequence[int] = (0,),
    steps: int | None = None,
    budget: str | float | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    threads: int = 1,
    progress: bool = True,
    executor: Executor | None = None,
) -> pandas.DataFrame:
    """One problem for many values of its keys, the best first (needs pandas).

    ``over`` has the values of each key, ``{"network.hidden": ["2x20", "4x20"]}``; with ``random`` that many
    combinations are drawn, also from ranges: ``{"train.stages.0.lr": "1e-4..1e-2"}``. An ``executor`` is used as
    :func:`compare` does.
    """
    arguments: list[str] = []
    combinations = 1
    for key, values in over.items():
        text = values if isinstance(values, str) else ",".join(_value(value) for value in values)
        arguments += ["--over", f"{key}={text}"]
        combinations *= text.count(",") + 1 if isinstance(values, str) else len(values)
    for name, value in {"random": random, "metric": metric, "method": method}.items():
        arguments += [] if value is None else [f"--{name}", str(value)]
    common = _common(seeds=seeds, steps=steps, budget=budget, out=out, jobs=jobs, threads=threads)
    runs = (combinations if random is None else random) * len(seeds)
    return _frame(_batch("sweep", problem, [*arguments, *common], progress, out, (executor, runs)), ["values"])


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _common(
    *,
    seeds: Sequence[int],
    steps: int | None,
    budget: str | float | None,
    out: str | os.PathLike[str] | None,
    jobs: int | None,
    threads: int,
) -> list[str]:
    arguments = ["--seeds", ",".join(str(seed) for seed in seeds), "--threads", str(threads)]
    if budget is not None:
        arguments += ["--set", f"train.max_seconds={_adamflip.seconds(budget)!r}"]
    if out is not None:
        arguments += ["--out", os.fspath(path_of(out, "out"))]
    for name, value in {"steps": steps, "jobs": jobs}.items():
        arguments += [] if value is None else [f"--{name}", str(value)]
    return arguments


def _batch(
    command: str,
    problem: Any,
    arguments: list[str],
    progress: bool,
    out: str | os.PathLike[str] | None,
    shared: tuple[Executor | None, int],
) -> dict[str, Any]:
    """The last line of the program's JSON."""
    executor, runs = shared
    if executor is None:
        with tempfile.TemporaryDirectory() as folder:
            return _run(command, _file(problem, Path(folder)), arguments, progress)
    place = _free(command) if out is None else path_of(out, "out").resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    if out is None:
        arguments = [*arguments, "--out", os.fspath(place)]
    # Workers elsewhere see what is beside the folder of the batch, not this machine's temporary files.
    with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as folder:
        path = _file(problem, Path(folder)).resolve()
        failed = solve_shares(executor, [command, os.fspath(path), *arguments], path, runs)
        if failed is not None:
            _raise(command, failed.code, failed.errors)
        return _run(command, path, [*arguments, "--collect"], progress)


def _free(command: str) -> Path:
    """The first folder of ``runs`` that is not there yet."""
    names = (f"{command}-{number}" for number in range(1, sys.maxsize))
    return next(path for path in (Path("runs", name).resolve() for name in names) if not path.exists())


def _file(problem: Any, folder: Path) -> Path:
    if not isinstance(problem, Problem):
        return path_of(problem, "problem")
    path = folder / f"{problem.name}.toml"
    problem.save(path)
    return path


def _run(command: str, path: Path, arguments: list[str], progress: bool) -> dict[str, Any]:
    words = [sys.executable, "-m", "adamflip", command, os.fspath(path), *arguments, "--json"]
    ended = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    if ended.returncode == 130 or not lines or "rows" not in lines[-1]:
        _raise(command, ended.returncode, ended.stderr)
    if progress and ended.stderr:
        sys.stderr.write(ended.stderr)
    result: dict[str, Any] = lines[-1]
    return result


def _raise(command: str, code: int, errors: str) -> NoReturn:
    if code == 130:
        raise KeyboardInterrupt
    message, _, hint = errors.strip().removeprefix("error: ").partition("\nhint: ")
    kind = InputError if code == 2 else RunFailure
    raise kind(message or f"adamflip {command} ended with code {code}", hint or None)


def _frame(result: dict[str, Any], labels: list[str]) -> pandas.DataFrame:
    frames = _needs("pandas", "notebook")
    rows = []
    for row in result["rows"]:
        flat: dict[str, Any] = {}
        for label in labels:
            value = row.get(label)
            flat.update(value if isinstance(value, dict) else {label: value} if value is not None else {})
        flat.update({"runs": row["runs"], "failed": row["failed"], **row["numbers"]})
        rows.append(flat)
    frame: pandas.DataFrame = frames.DataFrame(rows)
    frame.attrs["folder"] = result["folder"]
    return frame
