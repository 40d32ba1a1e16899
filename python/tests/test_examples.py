"""The examples run, and reach what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_numpy_network():
    main = runpy.run_path(str(EXAMPLES / "numpy_network.py"))["main"]
    errors = main()
    assert set(errors) == {"adamflip", "adamflip_split", "newtonflip"}
    assert max(errors.values()) < 1e-2, errors


def test_jax_network():
    pytest.importorskip("jax", reason="jax is not installed")
    main = runpy.run_path(str(EXAMPLES / "jax_network.py"))["main"]
    assert max(main().values()) < 1e-2
