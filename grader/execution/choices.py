"""What a data-dependent equation chose, for an observer: see `grader.execution.simulator.Observer.choice`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from grader.execution.primitives.call import Call, aligned

Sides = Callable[[Call, Sequence[np.ndarray], Sequence[np.ndarray]], np.ndarray]


def _result(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    return results[0]


def _case(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    return operands[0]


def _larger(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    first, second = aligned(call, *operands)
    return np.where(first == second, 2, np.where(first > second, 0, 1))


def _smaller(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    first, second = aligned(call, *operands)
    return np.where(first == second, 2, np.where(first < second, 0, 1))


def _clamped(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    low, x, high = aligned(call, *operands)
    return np.where(x < low, 0, np.where(x > high, 2, 1))


def _negative(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    negative: np.ndarray = operands[0] != results[0]
    return negative


def _sign(call: Call, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> np.ndarray:
    return np.where(results[0] < 0, 0, np.where(results[0] > 0, 2, 1))


CHOICES: dict[str, Sides] = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "eq_to", "lt_to", "le_to"), _result),
    **dict.fromkeys(("and", "or", "xor", "reduce_and", "reduce_or", "reduce_xor"), _result),
    "abs": _negative,
    "sign": _sign,
    "select_n": _case,
    "max": _larger,
    "min": _smaller,
    "clamp": _clamped,
}
