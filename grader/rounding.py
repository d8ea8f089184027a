"""How far float32 arithmetic may miss: what the problems' oracles make their error bounds of.

Standard forward-error analysis (Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd ed.): one operation
misses by a factor of 1 + d, |d| <= u; a sum of n rounded terms, added in any order, by at most gamma(n) times the
sum of their magnitudes. Everything is float64 arrays, or numbers.
"""

from __future__ import annotations

import numpy as np

UNIT_ROUNDOFF = 2.0**-24
"""Largest relative error of one float32 operation."""

SMALLEST_NORMAL = 2.0**-126
"""Largest absolute error of one operation that underflows: XLA on CPU flushes subnormals to zero."""

FUNCTION = 8.0
"""What XLA's exp, log, cos and the like may miss by, in units of `UNIT_ROUNDOFF`: a few units in the last place."""


def gamma(operations: int) -> float:
    """The largest relative error of a chain of so many operations."""
    return operations * UNIT_ROUNDOFF / (1 - operations * UNIT_ROUNDOFF)


def sum_bound(terms: np.ndarray, axis: int | tuple[int, ...], operations: int = 2) -> np.ndarray:
    """Error of the sum of ``terms`` along ``axis``, each made by so many operations itself."""
    axes = (axis,) if isinstance(axis, int) else axis
    count = 1
    for each in axes:
        count *= terms.shape[each]
    bound: np.ndarray = gamma(count + operations) * np.abs(terms).sum(axis=axes) + (count + 1) * SMALLEST_NORMAL
    return bound


def dot_bound(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Error of ``left @ right`` for (..., m, n) and (..., n, p), summed in any order."""
    terms = left.shape[-1]
    # An operand that is flushed takes its product along; a product or a sum that is flushed loses itself.
    flushed = SMALLEST_NORMAL * (np.abs(left).sum(-1, keepdims=True) + np.abs(right).sum(-2, keepdims=True) + terms + 1)
    bound: np.ndarray = gamma(terms + 2) * (np.abs(left) @ np.abs(right)) + flushed
    return bound
