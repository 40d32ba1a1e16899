"""Text in notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run


def preformatted(text: str) -> str:
    """Text with its line breaks, as HTML."""
    return f"<pre>{html.escape(text)}</pre>"


def run(run: Run) -> str:
    """The summary of a run, and a figure of its first field where matplotlib is there."""
    page = preformatted(str(run))
    try:
        import base64
        import io

        from matplotlib import pyplot

        figure = run.plot()
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=100)
        pyplot.close(figure)
    except ImportError:
        return page
    code = base64.b64encode(picture.getvalue()).decode("ascii")
    return f'{page}<img src="data:image/png;base64,{code}" alt="{html.escape(run.fields[0])}">'


def summary(summary: dict[str, Any]) -> str:
    """The end of a run as text: the answer, errors, unknowns, and how well every term holds."""
    lines = [f"{summary['problem']}: {summary['answer']['text']}"]
    lines.append(f"{summary['steps']} steps in {summary['seconds']:.1f} s, {summary['status']}: {summary['advice']}")
    for name, error in summary["rel_l2"].items():
        lines.append(f"relative L2 error of {name}: {error:.2e}")
    for name, estimate in summary["estimate"].items():
        lines.append(f"estimated relative L2 error of {name}: {estimate['rel_l2']:.2e}")
    for name, unknown in summary["unknowns"].items():
        interval = unknown.get("interval")
        known = f", 95% between {interval[0]:.6g} and {interval[1]:.6g}" if interval else ", not determined"
        lines.append(f"{name} = {unknown['value']:.6g}{known}")
    width = max(len(name) for name in summary["terms"])
    for name, term in summary["terms"].items():
        fresh = term["fresh"]
        lines.append(
            f"{name:{width}}  {term['role']:10}  rms {fresh['rms']:.2e}  max {fresh['max']:.2e}"
            f"  at {fresh['points']} points that training never saw"
        )
    lines += [f"warning: {warning['text']}" for warning in summary["warnings"] if "text" in warning]
    return "\n".join(lines)
