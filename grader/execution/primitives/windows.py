"""Sliding windows: convolutions, reductions over windows, and the gradient of max-pooling.

In: a `Call` and arrays (lanes, *shape). Out: one array (lanes, *declared shape). Each place in the window is one
step over whole arrays, so that nothing larger than the padded operand and the result is ever made.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from grader.execution.errors import Malformed, Unsupported
from grader.execution.primitives.call import Call, Rule, expect
from grader.execution.primitives.elementwise import convert, maximum, minimum
from grader.execution.primitives.reduction import greatest, least
from grader.execution.values import numpy_dtype

Pairs = Sequence[tuple[int, int]]
LARGEST_PADDED = 1 << 26
"""Elements (all lanes) that padding may make of an operand."""


def padded(
    call: Call, x: np.ndarray, value: np.ndarray, padding: Pairs, dilation: Sequence[int], first: int = 1
) -> np.ndarray:
    """``x`` with ``dilation - 1`` values between neighbours and ``padding`` around, on the axes from ``first`` on.

    Negative padding cuts off.
    """
    if all(pair == (0, 0) for pair in padding) and all(step == 1 for step in dilation):
        return x
    sizes = list(x.shape)
    for axis, step in enumerate(dilation, first):
        if step < 1:
            raise Malformed(f"{call.equation.primitive} with dilation {step}", call.equation)
        sizes[axis] = max(0, (x.shape[axis] - 1) * step + 1 if x.shape[axis] else 0)
    wide = [size + max(low, 0) + max(high, 0) for size, (low, high) in zip(sizes[first:], padding, strict=True)]
    if math.prod(sizes[:first]) * math.prod(wide) > LARGEST_PADDED:
        raise Malformed(f"{call.equation.primitive} with huge padding", call.equation)
    result = np.full((*sizes[:first], *wide), value, x.dtype)
    if x.size:
        inner = [slice(None)] * first
        for axis, ((low, _), step) in enumerate(zip(padding, dilation, strict=True), first):
            start = max(low, 0)
            inner.append(slice(start, start + sizes[axis], step))
        result[tuple(inner)] = x
    cut = [slice(None)] * first
    for size, (low, high) in zip(wide, padding, strict=True):
        cut.append(slice(max(-low, 0), max(size - max(-high, 0), max(-low, 0))))
    return result[tuple(cut)]


def window_counts(
    sizes: Sequence[int], window: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> list[int]:
    """How many windows fit along each dimension."""
    counts = []
    for size, width, stride, step in zip(sizes, window, strides, dilation, strict=True):
        if width < 1 or stride < 1 or step < 1:
            raise Malformed("a window with sizes, strides or dilation below 1")
        counts.append(max(0, (size - ((width - 1) * step + 1)) // stride + 1))
    return counts


def window_places(
    counts: Sequence[int], window: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """For each place in the window, in C order: the place, and the slices that pick it out of every window."""
    for place in itertools.product(*(range(width) for width in window)):
        yield (
            place,
            tuple(
                slice(at * step, at * step + (count - 1) * stride + 1, stride)
                for at, step, count, stride in zip(place, dilation, counts, strides, strict=True)
            ),
        )


def window_params(call: Call, rank: int) -> tuple[Sequence[int], Sequence[int], Pairs, Sequence[int], Sequence[int]]:
    params = call.params
    ones = (1,) * rank
    found = (
        params["window_dimensions"],
        params["window_strides"],
        [tuple(pair) for pair in params["padding"]],
        params.get("base_dilation") or ones,
        params.get("window_dilation") or ones,
    )
    if any(len(each) != rank for each in found):
        raise Malformed(f"{call.equation.primitive} with a window of another rank", call.equation)
    return found


def fold_windows(
    call: Call, x: np.ndarray, start: np.ndarray, combine: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """Combine the elements of each window in C order, beginning with ``start`` (a value, or one a lane)."""
    window, strides, padding, base_dilation, dilation = window_params(call, x.ndim - 1)
    if start.ndim:
        raise Malformed("a window reduction that starts from an array", call.equation)
    x = padded(call, x, start, padding, base_dilation)
    counts = window_counts(x.shape[1:], window, strides, dilation)
    shape = (x.shape[0], *expect(call, counts))
    result = np.full(shape, start, x.dtype)
    if result.size:
        for _, slices in window_places(counts, window, strides, dilation):
            result = combine(result, x[(slice(None), *slices)])
    return result


def _add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    result: np.ndarray = np.add(x, y)
    return result


def reduce_window_sum(call: Call, x: np.ndarray) -> np.ndarray:
    return fold_windows(call, x, np.zeros((), x.dtype), _add)


def reduce_window_max(call: Call, x: np.ndarray) -> np.ndarray:
    return fold_windows(call, x, least(x.dtype), maximum)


def reduce_window_min(call: Call, x: np.ndarray) -> np.ndarray:
    return fold_windows(call, x, greatest(x.dtype), minimum)


def select_and_scatter_add(call: Call, source: np.ndarray, operand: np.ndarray) -> np.ndarray:
    """Add each window's source to the element that the window selects (the first largest, or smallest)."""
    prefer = {"ge": np.greater_equal, "gt": np.greater, "le": np.less_equal, "lt": np.less}.get(
        str(call.params["select_prim"])
    )
    if prefer is None:
        raise Unsupported(call.equation.primitive, "with another selection", call.equation)
    shape = (operand.shape[0], *expect(call, operand.shape[1:]))
    rank = operand.ndim - 1
    window, strides, padding = (
        call.params["window_dimensions"],
        call.params["window_strides"],
        [tuple(pair) for pair in call.params["padding"]],
    )
    ones = (1,) * rank
    count = math.prod(operand.shape)
    places = padded(call, np.arange(count).reshape(operand.shape), np.array(-1), padding, ones)
    values = padded(call, operand, np.zeros((), operand.dtype), padding, ones)
    counts = window_counts(values.shape[1:], window, strides, ones)
    if (operand.shape[0], *counts) != source.shape:
        raise Malformed("select_and_scatter_add with a source that does not fit its windows", call.equation)
    chosen = np.full(source.shape, -1)
    best = np.zeros(source.shape, operand.dtype)
    for _, slices in window_places(counts, window, strides, ones):
        value, place = values[(slice(None), *slices)], places[(slice(None), *slices)]
        better = (place >= 0) & ((chosen < 0) | ~prefer(best, value))
        best = np.where(better, value, best)
        chosen = np.where(better, place, chosen)
    result = np.zeros(count, source.dtype)
    hit = chosen >= 0
    np.add.at(result, chosen[hit], source[hit])
    return result.reshape(shape)


def conv_general_dilated(call: Call, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Slide ``right`` over ``left``; feature groups see their own channels, batch groups their own batches."""
    params = call.params
    numbers = dict(params["dimension_numbers"].fields)
    left_spec, right_spec, out_spec = numbers["lhs_spec"], numbers["rhs_spec"], numbers["out_spec"]
    rank = left.ndim - 1
    if any(sorted(spec) != list(range(rank)) for spec in (left_spec, right_spec, out_spec)) or rank < 2:
        raise Malformed("conv_general_dilated with dimension numbers that do not fit", call.equation)
    dtype = numpy_dtype(call.result.dtype)
    work = np.dtype(np.float32) if dtype.kind == "V" or dtype == np.float16 else dtype
    spatial = rank - 2
    strides, padding = params["window_strides"], [tuple(pair) for pair in params["padding"]]
    left_dilation = params.get("lhs_dilation") or (1,) * spatial
    dilation = params.get("rhs_dilation") or (1,) * spatial
    groups, batch_groups = params["feature_group_count"], params["batch_group_count"]
    if any(len(each) != spatial for each in (strides, padding, left_dilation, dilation)):
        raise Malformed("conv_general_dilated with a window of another rank", call.equation)
    x = convert(left, work).transpose((0, *(axis + 1 for axis in left_spec)))  # lanes, batch, channels, *space
    kernel = convert(right, work).transpose((0, *(axis + 1 for axis in right_spec)))  # lanes, out, in, *window
    x = padded(call, x, np.zeros((), work), padding, left_dilation, first=3)
    lanes, batch, channels = x.shape[:3]
    features, inner = kernel.shape[1:3]
    if (
        min(groups, batch_groups) < 1
        or channels != inner * groups
        or features % (groups * batch_groups)
        or batch % batch_groups
        or (groups > 1 and batch_groups > 1)
    ):
        raise Malformed("conv_general_dilated with groups that do not fit", call.equation)
    window = kernel.shape[3:]
    counts = window_counts(x.shape[3:], window, strides, dilation)
    shape = [batch // batch_groups, features, *counts]
    expect(call, [shape[out_spec.index(axis)] for axis in range(rank)])
    together = groups * batch_groups
    # Both kinds of groups become one axis of independent products.
    if batch_groups > 1:
        x = x.reshape(lanes, batch_groups, batch // batch_groups, channels, *x.shape[3:])
    else:
        x = x.reshape(lanes, batch, groups, inner, *x.shape[3:]).swapaxes(1, 2)
    kernel = kernel.reshape(lanes, together, features // together, inner, *window)
    size = math.prod(counts)
    result = np.zeros((lanes, together, x.shape[2], features // together, size), work)
    if result.size:
        for place, slices in window_places(counts, window, strides, dilation):
            part = x[(slice(None), slice(None), slice(None), slice(None), *slices)]
            part = part.reshape((*part.shape[:4], size))
            weights = kernel.reshape((*kernel.shape[:4], -1))[..., np.ravel_multi_index(place, window) if place else 0]
            result += np.matmul(weights[:, :, None], part)
    # (lanes, groups, batch, features a group, space) -> (lanes, batch, features, *space)
    result = result.swapaxes(1, 2).reshape(lanes, x.shape[2], features, *counts)
    return convert(result, dtype).transpose((0, *(1 + out_spec.index(axis) for axis in range(rank))))


RULES: dict[str, Rule] = {
    "conv_general_dilated": conv_general_dilated,
    "reduce_window_sum": reduce_window_sum,
    "reduce_window_max": reduce_window_max,
    "reduce_window_min": reduce_window_min,
    "select_and_scatter_add": select_and_scatter_add,
}
