"""The progress of a solve: a bar of tqdm where there is one, else a line on a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any


class Progress:
    """Shows how far a run is. Without a terminal and outside notebooks it is silent, unless asked for."""

    def __init__(self, wanted: bool | None) -> None:
        self._bar: Any = None
        self._line = False
        self._next = 0.0
        notebook = "ipykernel" in sys.modules
        shown = wanted if wanted is not None else notebook or sys.stderr.isatty()
        if not shown:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._line = True
        else:
            form = "{desc} {percentage:3.0f}% |{bar}| {postfix}"
            self._bar = tqdm(total=1.0, bar_format=form, leave=False)

    def update(self, moment: dict[str, Any]) -> None:
        """Takes in what a step did; shows it some times a second."""
        now = time.monotonic()
        if now < self._next or (self._bar is None and not self._line):
            return
        self._next = now + 0.2
        text = f"step {moment['step']}, {moment['seconds']:.0f} s, loss {moment['loss']:.1e}"
        if self._bar is not None:
            self._bar.set_description_str(moment["method"], refresh=False)
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.n = moment["share"]
            self._bar.refresh()
        else:
            sys.stderr.write(f"\r{moment['method']}: {text}\x1b[K")
            sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._line:
            sys.stderr.write("\r\x1b[K")
