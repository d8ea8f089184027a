"""What an equation costs, in element operations a lane, from its declared shapes alone."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from grader.program.types import Aval, Equation


def cost(equation: Equation, operands: Sequence[Aval]) -> int:
    """Elements read and written, and for the primitives that do more than that, the operations."""
    total = 1
    for aval in operands:
        total += prod(aval.shape)
    for aval in equation.results:
        total += prod(aval.shape)
    more = _MORE.get(equation.primitive)
    return total if more is None or not operands else total + more(equation, operands)


def _dot(equation: Equation, operands: Sequence[Aval]) -> int:
    """Multiplications: the result's elements times the summed dimensions."""
    numbers: Any = equation.params.get("dimension_numbers")
    try:
        summed = prod(operands[0].shape[axis] for axis in numbers[0][0])
    except (TypeError, IndexError):
        summed = prod(operands[0].shape)  # a bad request; its rule will say so
    result: int = prod(equation.results[0].shape) * summed
    return result


def _convolution(equation: Equation, operands: Sequence[Aval]) -> int:
    return prod(equation.results[0].shape) * prod(operands[1].shape[1:] if len(operands) > 1 else ())


def _sorting(equation: Equation, operands: Sequence[Aval]) -> int:
    return prod(operands[0].shape) * 16 * len(operands)


def _window(equation: Equation, operands: Sequence[Aval]) -> int:
    window: Any = equation.params.get("window_dimensions") or ()
    sizes = [size for size in window if isinstance(size, int)]
    return prod(equation.results[0].shape) * max(prod(sizes), 1) if equation.results else 0


def _cubic(equation: Equation, operands: Sequence[Aval]) -> int:
    """Factorisations: the elements times the largest dimension, some times over."""
    shape = operands[0].shape
    return 30 * prod(shape) * max(shape, default=1)


_MORE = {
    "dot_general": _dot,
    "conv_general_dilated": _convolution,
    "sort": _sorting,
    "top_k": _sorting,
    **dict.fromkeys(
        (
            "reduce_window",
            "reduce_window_sum",
            "reduce_window_max",
            "reduce_window_min",
            "select_and_scatter",
            "select_and_scatter_add",
            "select_and_gather_add",
        ),
        _window,
    ),
    **dict.fromkeys(
        ("cholesky", "eig", "eigh", "lu", "qr", "schur", "svd", "triangular_solve", "householder_product"), _cubic
    ),
}
