"""The notebooks run from start to end, with budgets cut to seconds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::adamflip.NotSolved")
def test_notebook(path: Path) -> None:
    for module in ["pandas", "xarray", "matplotlib"]:
        pytest.importorskip(module)
    import matplotlib

    matplotlib.use("agg")
    names: dict[str, Any] = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            code = re.sub(r'budget="\d+[sm]"', 'budget="3s"', "".join(cell["source"]))
            exec(compile(code, path.name, "exec"), names)
            last = code.strip().splitlines()[-1]
            if last == "run":
                assert "<img" in names["run"]._repr_html_()


def test_there_are_three() -> None:
    assert len(NOTEBOOKS) == 3
