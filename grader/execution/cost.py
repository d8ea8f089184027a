"""What an equation costs, in element operations a lane, from its declared shapes alone.

One element operation is about a nanosecond; a step over whole arrays that a rule makes in Python counts as
`PYTHON_STEP` of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from grader.program.types import Aval, Equation

PYTHON_STEP = 5_000


def cost(equation: Equation, operands: Sequence[Aval]) -> int:
    """Elements read and written, and for the primitives that do more than that, the operations."""
    total = 1 + len(operands)
    for aval in operands:
        total += prod(aval.shape)
    for aval in equation.results:
        total += 1 + prod(aval.shape)
    more = _MORE.get(equation.primitive)
    return total if more is None or not operands else total + more(equation, operands)


def _dot(equation: Equation, operands: Sequence[Aval]) -> int:
    """Multiplications: the result's elements times the summed dimensions."""
    numbers: Any = equation.params.get("dimension_numbers")
    try:
        summed = prod([operands[0].shape[axis] for axis in numbers[0][0]])
    except (TypeError, IndexError, KeyError):
        summed = prod(operands[0].shape)  # a bad request; its rule will say so
    return int(_written(equation) * summed)


def _convolution(equation: Equation, operands: Sequence[Aval]) -> int:
    kernel = prod(operands[1].shape) if len(operands) > 1 else 1
    return _written(equation) * kernel + PYTHON_STEP * kernel


def _sorting(equation: Equation, operands: Sequence[Aval]) -> int:
    return prod(operands[0].shape) * 32 * len(operands)


def _window(equation: Equation, operands: Sequence[Aval]) -> int:
    window: Any = equation.params.get("window_dimensions")
    sizes = [size for size in window if type(size) is int and size > 0] if isinstance(window, tuple) else []
    return prod(sizes) * (_written(equation) + PYTHON_STEP)


def _factorisation(equation: Equation, operands: Sequence[Aval]) -> int:
    """The elements times the largest dimension, some times over, and a call of LAPACK for each matrix."""
    shape = operands[0].shape
    largest = max([size for aval in operands for size in aval.shape[-2:]], default=1)
    return 30 * max(prod(shape), _written(equation)) * largest + 4 * PYTHON_STEP * prod(shape[:-2])


def _column_by_column(equation: Equation, operands: Sequence[Aval]) -> int:
    return 4 * PYTHON_STEP * max([size for aval in operands for size in aval.shape], default=1)


def _times(factor: int) -> Callable[[Equation, Sequence[Aval]], int]:
    def slow(equation: Equation, operands: Sequence[Aval]) -> int:
        return factor * (_written(equation) + prod(operands[-1].shape))

    return slow


def _written(equation: Equation) -> int:
    return sum([prod(aval.shape) for aval in equation.results])


_MORE: dict[str, Callable[[Equation, Sequence[Aval]], int]] = {
    "dot_general": _dot,
    "conv_general_dilated": _convolution,
    "sort": _sorting,
    "top_k": _sorting,
    **dict.fromkeys("reduce_window reduce_window_sum reduce_window_max reduce_window_min".split(), _window),
    "select_and_scatter_add": _window,
    **dict.fromkeys("cholesky eigh lu qr svd triangular_solve".split(), _factorisation),
    **dict.fromkeys("tridiagonal_solve lu_pivots_to_permutation".split(), _column_by_column),
    **dict.fromkeys(
        "scatter scatter-add scatter-sub scatter-mul scatter-min scatter-max gather random_bits random_split "
        "random_fold_in threefry2x32 erf erfc erf_inv fft".split(),
        _times(30),
    ),
    **dict.fromkeys("lgamma digamma bessel_i0e bessel_i1e".split(), _times(500)),
    **dict.fromkeys("polygamma zeta igamma igammac regularized_incomplete_beta".split(), _times(5_000)),
}
