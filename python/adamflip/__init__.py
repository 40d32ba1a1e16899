"""Differential equations solved by neural networks whose conditions are constraints.

>>> import adamflip as af
>>> import numpy as np
>>> result = af.minimize(
...     lambda x: (float(x @ x), 2 * x),
...     x0=[3.0, 1.0],
...     constraints=lambda x: (x[0] + x[1] - 1, np.ones(2)),
... )
>>> result.success, result.x.round(6).tolist()
(True, [0.5, 0.5])
"""

from .errors import Error, InputError
from .optimize import Minimum, Step, methods, minimize

__all__ = ["Error", "InputError", "Minimum", "Step", "methods", "minimize"]
