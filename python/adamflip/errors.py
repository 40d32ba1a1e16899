"""The exceptions of this package: a sentence, and what to do."""

from __future__ import annotations


class Error(Exception):
    """What every exception of this package is.

    Attributes:
        message: what is wrong.
        hint: what to do, or None.
    """

    message: str
    hint: str | None

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        if self.hint is None:
            return self.message
        return "\n".join([self.message, *(f"hint: {line}" for line in self.hint.splitlines())])


class InputError(Error, ValueError):
    """An argument, or what a function of yours returned, is not what it should be."""
