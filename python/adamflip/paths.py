"""Paths that are given by name or as objects."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .errors import InputError

__all__ = ["path_of"]


def path_of(value: Any, name: str) -> Path:
    """The path that an argument names."""
    try:
        return Path(os.fsdecode(value))
    except TypeError:
        raise InputError(f"`{name}` is {value!r}, not a path", f'write {name}="runs/heat-0", or a Path') from None
