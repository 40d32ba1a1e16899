"""Batches on an executor: shares of one batch folder, each a job that can be pickled.

An executor is anything with ``submit(function, argument) -> future`` as :mod:`concurrent.futures` has it: its pools,
Dask's ``client.get_executor()``, Ray's and mpi4py's. A job is the command line of a share: it starts the
program, which takes its part of the runs in the folder and skips what is done. All workers see the folder of the batch.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from .errors import InputError

__all__ = ["Executor", "Job", "Outcome", "run_job", "solve_shares"]

_MOST = 10_000
"""Shares at the most; of more runs a share has several."""


class Executor(Protocol):
    """Runs functions elsewhere, as :class:`concurrent.futures.Executor` does."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Begins ``fn(*args, **kwargs)``; its future, with ``result()`` and ``cancel()``."""


@dataclass(frozen=True)
class Job:
    """One share of a batch: plain text, which every executor can send."""

    arguments: tuple[str, ...]
    folder: str
    """Where relative paths begin."""
    problem: str
    """The file that a worker must see."""


@dataclass(frozen=True)
class Outcome:
    """How a share ended."""

    code: int
    errors: str
    where: str
    sees: bool


def run_job(job: Job) -> Outcome:
    """Runs a share, on the machine of the worker."""
    where = socket.gethostname()
    if not Path(job.problem).is_file():
        return Outcome(2, "", where, False)
    words = [sys.executable, "-m", "adamflip", *job.arguments]
    ended = subprocess.run(
        words,
        cwd=job.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return Outcome(ended.returncode, ended.stderr, where, True)


def solve_shares(executor: Executor, arguments: list[str], problem: Path, runs: int) -> Outcome | None:
    """Solves the runs of a batch in shares, one a run; the outcome of a share that could not begin, where there is one."""
    if not callable(getattr(executor, "submit", None)):
        raise InputError(
            f"`{type(executor).__name__}` is no executor: it has no method `submit`",
            "give one of concurrent.futures, or for example Dask's client.get_executor()",
        )
    count = max(1, min(runs, _MOST))
    shares = (f"{number}/{count}" for number in range(1, count + 1))
    jobs = [Job((*arguments, "--shard", share), os.getcwd(), os.fspath(problem)) for share in shares]
    futures = [executor.submit(run_job, job) for job in jobs]
    try:
        outcomes: list[Outcome] = [future.result() for future in futures]
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    for outcome in outcomes:
        if not outcome.sees:
            raise InputError(
                f"the worker on {outcome.where} does not see `{problem}`",
                "the workers of an executor share a file system: give `out` a place that all of them see",
            )
    # A run that failed (code 1) is a row of the table.
    return next((outcome for outcome in outcomes if outcome.code not in (0, 1)), None)
