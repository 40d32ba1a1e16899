"""The exceptions of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Error(Exception):
    """What went wrong, and what to do about it."""

    def __init__(self, message: str, hint: str | None = None, mistakes: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message if hint is None else f"{message}\nhint: {hint}")
        self.message = message
        self.hint = hint
        self.mistakes = list(mistakes)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message, self.hint, self.mistakes))


class InputError(Error, ValueError):
    """What was given cannot be used. Nothing was trained and nothing written."""


class ProblemError(InputError):
    """A problem or an expression with mistakes. ``mistakes`` has each with message, line, column and hint."""


class RunFailure(Error, OSError):
    """A run, or what was found in it, could not be kept."""


class NotSolved(UserWarning):
    """A run ended without an answer that can be used."""
