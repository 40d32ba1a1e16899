"""Every test runs in a folder of its own, where runs go."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import adamflip as af


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Ctrl-C is heard: what a shell starts in the background ignores it, and so would the tests of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def decay() -> af.Problem:
    """u' = -2u, u(0) = 1: solved in a fraction of a second."""
    p = af.Problem("u", x=(0, 1), name="decay", network={"hidden": "2x8"}, train={"accuracy": 1e-4})
    p.term("ode", "u_x = -2*u", points=32)
    p.term("start", "u = 1", on="x = 0")
    return p
