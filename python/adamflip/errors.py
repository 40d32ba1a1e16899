"""The exceptions of this package: a sentence, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Error(Exception):
    """What went wrong, and what to do about it."""

    def __init__(self, message: str, hint: str | None = None, mistakes: Sequence[dict[str, Any]] = ()) -> None:
        lines = [f"hint: {line}" for line in (hint or "").splitlines()]
        super().__init__("\n".join([message, *lines]))
        self.message = message
        self.hint = hint
        self.mistakes = list(mistakes)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.message, self.hint, self.mistakes))


class InputError(Error, ValueError):
    """What was given cannot be used. Nothing was trained and nothing written."""


class KeywordError(InputError, TypeError):
    """A keyword that there is not."""


class ProblemError(InputError):
    """A problem or an expression with errors. ``mistakes`` has each with message, line, column and hint."""


class RunFailure(Error, OSError):
    """A run, or what was found in it, could not be kept."""


class MissingPackage(Error, ImportError):
    """Something that needs another package, which is not installed."""


class NotSolved(UserWarning):
    """A run ended without an answer that can be used."""
