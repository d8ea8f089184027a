"""Primitives that make one element of many along dimensions: reductions, argmax, cumulative sums.

In: a `Call` and one array (lanes, *shape). Out: one array (lanes, *declared shape). Sums of floats narrower than
float32 are made in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, Rule
from grader.execution.primitives.elementwise import complex_
from grader.execution.values import numpy_dtype


def axes_of(call: Call, x: np.ndarray) -> tuple[int, ...]:
    """The reduced dimensions as axes of an array with lanes."""
    axes = tuple(axis + 1 for axis in call.params["axes"])
    if len(set(axes)) != len(axes) or not all(1 <= axis < x.ndim for axis in axes):
        raise Malformed(f"{call.equation.primitive} over dimensions that its operand does not have", call.equation)
    return axes


def least(dtype: np.dtype) -> np.ndarray:
    """The number below all others of this dtype: what a maximum of nothing is."""
    if dtype.kind == "b":
        return np.array(False)
    if dtype.kind in "iu":
        return np.array(np.iinfo(dtype).min, dtype)
    return np.array(-np.inf, dtype)


def greatest(dtype: np.dtype) -> np.ndarray:
    if dtype.kind == "b":
        return np.array(True)
    if dtype.kind in "iu":
        return np.array(np.iinfo(dtype).max, dtype)
    return np.array(np.inf, dtype)


def is_narrow(dtype: np.dtype) -> bool:
    return dtype.kind == "V" or dtype == np.float16


def accumulate_wide(reduce: np.ufunc) -> Rule:
    def rule(call: Call, x: np.ndarray) -> np.ndarray:
        axes = axes_of(call, x)
        if is_narrow(x.dtype):
            wide: np.ndarray = reduce.reduce(x.astype(np.float32), axis=axes)
            return wide.astype(x.dtype)
        # XLA's sums begin with 0, so that -0 alone gives 0.
        result: np.ndarray = reduce.reduce(x, axis=axes, dtype=x.dtype)
        return result + result.dtype.type(0) if reduce is np.add and result.dtype.kind in "fc" else result

    return rule


def extreme(reduce: np.ufunc, of_nothing: Callable[[np.dtype], np.ndarray]) -> Rule:
    def rule(call: Call, x: np.ndarray) -> np.ndarray:
        axes = axes_of(call, x)
        if x.dtype.kind == "c":
            return _complex_extreme(reduce, x, axes)
        if x.size == 0:
            result: np.ndarray = reduce.reduce(x, axis=axes, initial=of_nothing(x.dtype)[()])
        elif x.dtype.kind == "V":
            result = reduce.reduce(x.astype(np.float32), axis=axes).astype(x.dtype)
        else:
            result = reduce.reduce(x, axis=axes)
            if x.dtype.kind == "f" and not result.all():
                result = _signed_zeros(reduce, x, axes, result)
        return result

    return rule


def _signed_zeros(reduce: np.ufunc, x: np.ndarray, axes: tuple[int, ...], result: np.ndarray) -> np.ndarray:
    """Give zeros the sign that the reduction wants: the largest of -0 and 0 is 0, the smallest -0."""
    wanted = (x == 0) & (np.signbit(x) if reduce is np.minimum else ~np.signbit(x))
    zero = x.dtype.type(-0.0 if reduce is np.minimum else 0.0)
    fixed: np.ndarray = np.where((result == 0) & wanted.any(axis=axes), zero, result)
    return fixed


def _complex_extreme(reduce: np.ufunc, x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Lexicographic: the extreme real part, and among those the extreme imaginary part."""
    real = reduce.reduce(x.real, axis=axes, keepdims=True)
    none = np.array(-np.inf if reduce is np.maximum else np.inf, x.real.dtype)
    imag = reduce.reduce(np.where(x.real == real, x.imag, none), axis=axes)
    return complex_(real.reshape(imag.shape), imag)


def bitwise(reduce: np.ufunc, logical: np.ufunc) -> Rule:
    def rule(call: Call, x: np.ndarray) -> np.ndarray:
        axes = axes_of(call, x)
        result: np.ndarray = (logical if x.dtype.kind == "b" else reduce).reduce(x, axis=axes)
        return result.astype(x.dtype, copy=False)

    return rule


def arg_extreme(find: Callable[..., np.ndarray]) -> Rule:
    """The first place of the extreme; a NaN counts as extreme."""

    def rule(call: Call, x: np.ndarray) -> np.ndarray:
        [axis] = axes_of(call, x)
        if x.dtype.kind == "V":
            x = x.astype(np.float32)
        return find(x, axis=axis).astype(numpy_dtype(call.params["index_dtype"].name))

    return rule


def cumulative(accumulate: np.ufunc) -> Rule:
    def rule(call: Call, x: np.ndarray) -> np.ndarray:
        axis = call.params["axis"] + 1
        if not 1 <= axis < x.ndim:
            raise Malformed(f"{call.equation.primitive} along a dimension that it does not have", call.equation)
        if call.params.get("reverse"):
            x = np.flip(x, axis)
        if is_narrow(x.dtype):
            wide: np.ndarray = accumulate.accumulate(x.astype(np.float32), axis=axis)
            result = wide.astype(x.dtype)
        else:
            result = accumulate.accumulate(x, axis=axis, dtype=x.dtype)
            if x.dtype.kind == "f" and accumulate in (np.maximum, np.minimum):
                result = _running_zeros(accumulate, x, axis, result)
        return np.flip(result, axis) if call.params.get("reverse") else result

    return rule


def _running_zeros(accumulate: np.ufunc, x: np.ndarray, axis: int, result: np.ndarray) -> np.ndarray:
    """As `_signed_zeros`, for a running maximum or minimum."""
    wanted = (x == 0) & (np.signbit(x) if accumulate is np.minimum else ~np.signbit(x))
    zero = x.dtype.type(-0.0 if accumulate is np.minimum else 0.0)
    fixed: np.ndarray = np.where((result == 0) & np.logical_or.accumulate(wanted, axis=axis), zero, result)
    return fixed


RULES: dict[str, Rule] = {
    "reduce_sum": accumulate_wide(np.add),
    "reduce_prod": accumulate_wide(np.multiply),
    "reduce_max": extreme(np.maximum, least),
    "reduce_min": extreme(np.minimum, greatest),
    "reduce_and": bitwise(np.bitwise_and, np.logical_and),
    "reduce_or": bitwise(np.bitwise_or, np.logical_or),
    "reduce_xor": bitwise(np.bitwise_xor, np.logical_xor),
    "argmax": arg_extreme(np.argmax),
    "argmin": arg_extreme(np.argmin),
    "cumsum": cumulative(np.add),
    "cumprod": cumulative(np.multiply),
    "cummax": cumulative(np.maximum),
    "cummin": cumulative(np.minimum),
    "cumlogsumexp": cumulative(np.logaddexp),
}
