"""The same problems give the same steps in Rust and in Python, to the bit.

The Rust test of this package writes the bits of the points after each step to a file; without that file
there is nothing to compare with.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from problems import PROBLEMS

import adamflip as af

FILE = os.environ.get("ADAMFLIP_TRAJECTORIES")


@pytest.mark.skipif(FILE is None, reason="cargo test -p adamflip-py writes the steps of the Rust library")
def test_same_bits():
    assert FILE is not None
    runs = json.loads(Path(FILE).read_text())
    assert len(runs) == 60
    for run in runs:
        name, method = run["run"]
        problem, seen = PROBLEMS[name], []
        squares = method in ("newtonflip", "gauss_newton", "newton_rows", "newton_cg")
        af.minimize(
            None if squares else problem.fun,
            problem.start,
            None if problem.bounds else problem.constraints,
            method,
            residuals=problem.residuals if squares else None,
            inequalities=problem.constraints if problem.bounds else None,
            steps=run["steps"],
            tol=0,
            callback=lambda step: seen.append(step.x),
        )
        expected = np.array(run["points"], dtype=np.uint64).view(np.float64)
        assert (np.array(seen) == expected).all(), (name, method)
