from collections.abc import Callable, Sequence
from typing import Any

from numpy import float64
from numpy.typing import NDArray

__all__ = ["methods", "minimize"]

def methods() -> list[str]: ...
def minimize(
    fun: Callable[[NDArray[float64]], Any],
    jac: Callable[[NDArray[float64]], Any] | None,
    squares: bool,
    constraints: Sequence[Callable[[NDArray[float64]], Any]],
    names: Sequence[str] | None,
    x0: NDArray[float64],
    method: str,
    settings: dict[str, Any],
    options: tuple[int, float, float],
    watch: Callable[[NDArray[float64], int, float, float, float, float], bool] | None,
) -> tuple[NDArray[float64], float, NDArray[float64], NDArray[float64], float, int, int, str, str]: ...
