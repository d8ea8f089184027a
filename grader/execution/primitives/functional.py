"""Primitives that apply a scalar function of the program's own: general reductions, window reductions, scatter.

In: a `Call`, the function, and arrays (lanes, *shape). The function takes arrays of one common shape, one for each
scalar that its body takes, and returns a list of such arrays. Out: arrays (lanes, *declared shape).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, expect
from grader.execution.primitives.indexing import scatter_places
from grader.execution.primitives.windows import padded, window_counts, window_params, window_places

ScalarFunction = Callable[..., list[np.ndarray]]
FunctionalRule = Callable[..., list[np.ndarray]]


def reduce(call: Call, function: ScalarFunction, *arrays: np.ndarray) -> list[np.ndarray]:
    """Fold along dimensions in C order, from the initial values; several arrays are folded together."""
    operands, start = _halves(call, arrays)
    axes = tuple(axis + 1 for axis in call.params["dimensions"])
    rank = operands[0].ndim
    if len(set(axes)) != len(axes) or not all(1 <= axis < rank for axis in axes):
        raise Malformed("reduce over dimensions that its operand does not have", call.equation)
    kept = [axis for axis in range(1, rank) if axis not in axes]
    lanes, shape = operands[0].shape[0], expect(call, [operands[0].shape[axis] for axis in kept])
    rows = [each.transpose((*axes, 0, *kept)).reshape((-1, lanes, *shape)) for each in operands]
    total = [_spread(each, shape) for each in start]
    for step in range(math.prod(operands[0].shape[axis] for axis in axes)):
        total = function(*total, *(each[step] for each in rows))
    return total


def reduce_window(call: Call, function: ScalarFunction, *arrays: np.ndarray) -> list[np.ndarray]:
    """Fold each window in C order, from the initial values; what lies outside is the initial value."""
    operands, start = _halves(call, arrays)
    window, strides, padding, base_dilation, dilation = window_params(call, operands[0].ndim - 1)
    exists = np.ones((1, *operands[0].shape[1:]), bool)
    exists = padded(call, exists, np.array(False), padding, base_dilation)
    wide = [padded(call, each, np.zeros((), each.dtype), padding, base_dilation) for each in operands]
    counts = window_counts(exists.shape[1:], window, strides, dilation)
    shape = expect(call, counts)
    initial = [_spread(each, shape) for each in start]
    total = initial
    if math.prod(shape):
        for _, slices in window_places(counts, window, strides, dilation):
            here = (slice(None), *slices)
            parts = [np.where(exists[here], each[here], first) for each, first in zip(wide, initial, strict=True)]
            total = function(*total, *parts)
    return total


def scatter_apply(
    call: Call, function: ScalarFunction, x: np.ndarray, indices: np.ndarray, updates: np.ndarray
) -> list[np.ndarray]:
    """Replace elements by the function of them (and of the update), once for each index that names them."""
    places, values = scatter_places(call, x, indices, updates)
    result = np.array(x, order="C")
    flat = result.reshape(-1)
    while places.size:
        _, first = np.unique(places, return_index=True)
        now, new = places[first], values[first]
        flat[now] = function(flat[now], new)[0]
        left = np.ones(places.size, bool)
        left[first] = False
        places, values = places[left], values[left]
    return [result]


def _halves(call: Call, arrays: tuple[np.ndarray, ...]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Operands and their initial values, which are scalars."""
    half = len(arrays) // 2
    operands, start = list(arrays[:half]), list(arrays[half:])
    if (
        not operands
        or len(start) != half
        or any(each.shape != operands[0].shape for each in operands)
        or any(each.ndim != 1 for each in start)
    ):
        raise Malformed(f"{call.equation.primitive} of arrays that do not fit its initial values", call.equation)
    return operands, start


def _spread(scalars: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    lanes = scalars.shape[0]
    return np.broadcast_to(scalars.reshape((lanes,) + (1,) * len(shape)), (lanes, *shape))


FUNCTIONAL: dict[str, tuple[str, FunctionalRule]] = {
    "reduce": ("jaxpr", reduce),
    "reduce_window": ("jaxpr", reduce_window),
    "scatter": ("update_jaxpr", scatter_apply),
}
"""For each of these primitives: the param that holds the function's body, and the rule."""
