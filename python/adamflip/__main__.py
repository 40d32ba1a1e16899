"""The program: ``python -m adamflip solve problem.toml`` is ``adamflip solve problem.toml``."""

from __future__ import annotations

import signal
import sys

from . import _adamflip


def main() -> int:
    """Runs the program with the arguments of this process; returns its exit code."""
    # The program handles signals itself: Ctrl-C saves the run.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _adamflip.main(sys.executable, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
