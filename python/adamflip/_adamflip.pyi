"""The native half of the package."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Draft", "Solution", "__version__", "main", "methods", "minimize", "report", "resume", "seconds", "takes_few_steps",
]
__version__: str

@final
class Draft:
    """A problem file in the making, with its arrays."""

    def __new__(cls, name: str) -> Draft: ...
    @staticmethod
    def load(path: Path) -> Draft: ...
    @property
    def name(self) -> str: ...
    def set(self, path: list[str], value: Any) -> None: ...
    def arrays(self, name: str, arrays: dict[str, NDArray[np.float64]]) -> None: ...
    def text(self) -> str: ...
    def names(self, section: str) -> list[str]: ...
    def save(self, path: Path) -> None: ...
    def check(self, choices: dict[str, Any]) -> tuple[str, str]: ...
    def solve(
        self,
        choices: dict[str, Any],
        out: Path | None,
        threads: int | None,
        callback: Callable[[dict[str, Any]], object] | None,
        progress: Callable[[dict[str, Any]], object] | None,
    ) -> Path: ...

@final
class Solution:
    """The solution of a run at its last checkpoint."""

    def __new__(cls, path: Path) -> Solution: ...
    @property
    def fields(self) -> list[str]: ...
    @property
    def coordinates(self) -> list[str]: ...
    @property
    def ranges(self) -> list[tuple[float, float]]: ...
    def evaluate(
        self, expressions: list[str], columns: list[NDArray[np.float64]]
    ) -> list[NDArray[np.float64]]: ...
    def contains(self, columns: list[NDArray[np.float64]]) -> NDArray[np.bool_]: ...
    def export(self, path: Path) -> None: ...

def report(path: Path) -> Path: ...
def resume(
    path: Path,
    steps: int | None,
    budget: str | float | None,
    threads: int | None,
    callback: Callable[[dict[str, Any]], object] | None,
    progress: Callable[[dict[str, Any]], object] | None,
) -> Path: ...
def methods() -> list[str]: ...
def takes_few_steps(method: str) -> bool: ...
def minimize(
    fun: Callable[[NDArray[np.float64]], Any],
    jac: Callable[[NDArray[np.float64]], Any] | None,
    squares: bool,
    constraints: Sequence[Callable[[NDArray[np.float64]], Any]],
    inequalities: int,
    names: Sequence[str] | None,
    x0: NDArray[np.float64],
    method: str,
    settings: dict[str, Any],
    options: tuple[int, float, float],
    watch: Callable[[NDArray[np.float64], int, float, float, float, float], bool] | None,
) -> tuple[
    NDArray[np.float64], float, NDArray[np.float64], NDArray[np.float64], float, int, int, str, str, int
]: ...
def seconds(value: str | float) -> float: ...
def main(executable: Path | str, arguments: list[str]) -> int: ...
