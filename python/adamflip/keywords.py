"""Unknown keywords, told with the nearest known one, as unknown keys of problem files are."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from .errors import KeywordError

__all__ = ["known_keywords", "nearest"]

P = ParamSpec("P")
T = TypeVar("T")


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The known name that was meant, if one is near."""
    near = difflib.get_close_matches(name, list(names), n=1)
    return near[0] if near else None


def known_keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Refuses keywords that the function does not have, before it is called."""
    names = [name for name in inspect.signature(function).parameters if name != "self"]

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in names:
                near = nearest(name, names)
                hint = f"did you mean `{near}`?" if near else f"its keywords are {', '.join(names)}"
                raise KeywordError(f"{function.__name__}() has no keyword `{name}`", hint)
        return function(*args, **kwargs)

    return call
