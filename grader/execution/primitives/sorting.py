"""Sorting and the largest k.

In: a `Call` and arrays (lanes, *shape). Out: arrays of the declared shapes. All NaN count as equal and largest,
both zeros as equal; equal elements keep their order.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, Rule, expect
from grader.execution.primitives.elementwise import is_float, total_order


def _keys(array: np.ndarray) -> list[np.ndarray]:
    """Arrays that NumPy sorts as XLA sorts ``array``: one, or for complex numbers real and imaginary parts."""
    if array.dtype.kind == "c":
        return [array.real, array.imag]
    if array.dtype.kind == "V":
        return [array.astype(np.float32)]
    return [array]


def order_of(keys: Sequence[np.ndarray], axis: int) -> np.ndarray:
    """The stable order along ``axis`` by the keys, the first the most significant."""
    flat = [key for each in keys for key in _keys(each)]
    if len(flat) == 1:
        return np.argsort(flat[0], axis=axis, kind="stable")
    return np.lexsort(flat[::-1], axis=axis)


def sort(call: Call, *arrays: np.ndarray) -> list[np.ndarray]:
    axis, count = call.params["dimension"] + 1, call.params["num_keys"]
    if not 1 <= axis < arrays[0].ndim or not 1 <= count <= len(arrays):
        raise Malformed("sort along a dimension, or by keys, that it does not have", call.equation)
    if any(array.shape != arrays[0].shape for array in arrays):
        raise Malformed("sort of arrays of different shapes", call.equation)
    order = order_of(arrays[:count], axis)
    return [np.take_along_axis(array, order, axis) for array in arrays]


def top_k(call: Call, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The k largest, largest first, and their indices; of equal ones the first; NaN is the largest."""
    count, axis = call.params["k"], call.params.get("axis", x.ndim - 2) + 1
    if not 1 <= axis < x.ndim or not 0 <= count <= x.shape[axis]:
        raise Malformed("top_k along a dimension that it does not have", call.equation)
    expect(call, [count if place == axis else size for place, size in enumerate(x.shape) if place > 0])
    key = total_order(x) if is_float(x) else x
    # Descending and stable: bitwise not turns the order of integers around without overflow.
    order = np.argsort(~key if key.dtype.kind in "iub" else -key, axis=axis, kind="stable")
    order = order[(slice(None),) * axis + (slice(0, count),)]
    return np.take_along_axis(x, order, axis), order.astype(np.int32)


RULES: dict[str, Rule] = {"sort": sort, "top_k": top_k}
