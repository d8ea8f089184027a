"""Arrays as the numbers that people write.

Comes in: a NumPy array. Goes out: nested lists of the shortest decimals that read back to the same values
in the array's own dtype (0.1, not 0.10000000149011612).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.report.model import Nested


def nested(array: np.ndarray) -> Nested:
    """``array`` as JSON holds it; what is not finite becomes ``"nan"``, ``"inf"`` or ``"-inf"``."""
    flat = [_number(each) for each in array.ravel()]
    shape = array.shape
    for size in reversed(shape[1:]):
        flat = [flat[start : start + size] for start in range(0, len(flat), size)] if size else [[]] * shape[0]
    return flat if shape else flat[0]


def _number(value: Any) -> Nested:
    if isinstance(value, (np.bool_, np.integer)):
        plain: bool | int = value.item()
        return plain
    if isinstance(value, np.complexfloating):
        return str(value)
    return float(str(value)) if np.isfinite(value) else str(float(value))
