"""Primitives that read or write at places given by values: dynamic slices, gather, scatter.

In: a `Call`, arrays (lanes, *shape) and index arrays (lanes, *shape). Out: one array (lanes, *declared shape).
Out-of-range starts of dynamic slices are moved inside; gather and scatter follow their ``mode``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grader.execution.errors import Malformed, Unsupported
from grader.execution.primitives.call import Call, Rule, expect
from grader.execution.values import numpy_dtype

_CLIP = ("CLIP", "PROMISE_IN_BOUNDS", "ONE_HOT")


def _starts(call: Call, shape: Sequence[int], sizes: Sequence[int], indices: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The starts (lanes,) of each dimension, moved so that the slice lies inside."""
    found = []
    for index, size, whole in zip(indices, sizes, shape, strict=True):
        if size > whole or size < 0 or index.ndim != 1:
            raise Malformed(f"{call.equation.primitive} of {size} out of {whole} elements", call.equation)
        if index.dtype == np.uint64:
            index = np.minimum(index, np.uint64(whole))
        found.append(np.clip(index.astype(np.int64), 0, whole - size))
    return found


def _window(starts: Sequence[np.ndarray], sizes: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Index arrays that pick the slice of each lane, for fancy indexing."""
    rank = len(sizes)
    lanes = starts[0].shape[0]
    index = [np.arange(lanes).reshape((lanes,) + (1,) * rank)]
    for axis, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        along = (1,) * (axis + 1) + (size,) + (1,) * (rank - axis - 1)
        index.append(start.reshape((lanes,) + (1,) * rank) + np.arange(size).reshape(along))
    return tuple(index)


def dynamic_slice(call: Call, x: np.ndarray, *indices: np.ndarray) -> np.ndarray:
    sizes = expect(call, call.params["slice_sizes"])
    starts = _starts(call, x.shape[1:], sizes, indices)
    if not starts:
        return x
    if all((start == start[0]).all() for start in starts):
        return x[(slice(None), *(slice(int(s[0]), int(s[0]) + size) for s, size in zip(starts, sizes, strict=True)))]
    result: np.ndarray = x[_window(starts, sizes)]
    return result


def dynamic_update_slice(call: Call, x: np.ndarray, update: np.ndarray, *indices: np.ndarray) -> np.ndarray:
    sizes = update.shape[1:]
    starts = _starts(call, x.shape[1:], sizes, indices)
    if not starts:
        return update
    result = np.array(x)
    if all((start == start[0]).all() for start in starts):
        result[(slice(None), *(slice(int(s[0]), int(s[0]) + size) for s, size in zip(starts, sizes, strict=True)))] = (
            update
        )
    else:
        result[_window(starts, sizes)] = update
    return result


# ── gather and scatter ───────────────────────────────────────────────────────────────────────────


def _strides(shape: Sequence[int]) -> list[int]:
    """Elements between neighbours along each dimension of a C-ordered array."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


def _distinct(axes: Sequence[int], rank: int) -> bool:
    return len(set(axes)) == len(axes) and all(0 <= axis < rank for axis in axes)


@dataclass(frozen=True, slots=True)
class Windows:
    """Where the windows of a gather or scatter lie in the operand.

    ``places`` (lanes, *batch, window elements): positions in the flattened operand, all within it.
    ``inside`` (lanes, *batch), or None for all: windows that lie wholly in the operand as asked.
    ``kept``: the operand's dimensions that windows keep; ``sizes``: the window's size in each of them.
    """

    places: np.ndarray
    inside: np.ndarray | None
    sizes: tuple[int, ...]


def _windows(
    call: Call,
    shape: tuple[int, ...],
    indices: np.ndarray,
    window: tuple[int, ...],
    index_map: tuple[int, ...],
    dropped: tuple[int, ...],
    batching: tuple[int, ...],
    index_batching: tuple[int, ...],
    clip: bool,
) -> Windows:
    rank = len(shape)
    if (
        len(window) != rank
        or not _distinct(index_map, rank)
        or not _distinct((*dropped, *batching), rank)
        or not _distinct(index_batching, indices.ndim - 2)
        or len(batching) != len(index_batching)
        or set(index_map) & set(batching)
        or indices.ndim < 2
        or indices.shape[-1] != len(index_map)
        or indices.dtype.kind not in "iu"
    ):
        raise Malformed(f"{call.equation.primitive} with dimension numbers that do not fit", call.equation)
    if any(not 0 <= size <= whole for size, whole in zip(window, shape, strict=True)) or any(
        window[axis] > 1 for axis in (*dropped, *batching)
    ):
        raise Malformed(f"{call.equation.primitive} of windows larger than its operand", call.equation)
    batch = indices.shape[:-1]
    strides = _strides(shape)
    lane = np.arange(batch[0], dtype=np.int64) * math.prod(shape)
    base = lane.reshape((batch[0],) + (1,) * (len(batch) - 1))
    inside: np.ndarray | None = None
    for k, axis in enumerate(index_map):
        start, most = indices[..., k], shape[axis] - window[axis]
        if start.dtype == np.uint64:
            start = np.minimum(start, np.uint64(1 << 62))
        start = start.astype(np.int64)
        moved = np.minimum(np.maximum(start, 0), most)
        if not clip:
            fits = start == moved
            inside = fits if inside is None else inside & fits
        base = base + moved * strides[axis]
    for axis, along in zip(batching, index_batching, strict=True):
        if shape[axis] != batch[along + 1]:
            raise Malformed(f"{call.equation.primitive} with batch dimensions that do not fit", call.equation)
        place = np.arange(shape[axis], dtype=np.int64) * strides[axis]
        base = base + place.reshape([-1 if each == along + 1 else 1 for each in range(len(batch))])
    kept = [axis for axis in range(rank) if axis not in dropped and axis not in batching]
    offsets = np.zeros((), np.int64)
    for axis in kept:
        offsets = offsets[..., None] + np.arange(window[axis], dtype=np.int64) * strides[axis]
    base = np.broadcast_to(base, batch)
    if inside is not None and inside.all():
        inside = None
    return Windows(base[..., None] + offsets.reshape(-1), inside, tuple(window[axis] for axis in kept))


def _shuffled(rank: int, window_dims: Sequence[int]) -> list[int]:
    """Where each dimension of (batch…, window…) stands in an array whose window dimensions are ``window_dims``.

    As a permutation p for ``array.transpose(p)``, lanes included, that takes (lanes, batch, window) there.
    """
    batch = rank - len(window_dims)
    order, next_batch, next_window = [0], 1, 1 + batch
    for axis in range(rank):
        if axis in window_dims:
            order.append(next_window)
            next_window += 1
        else:
            order.append(next_batch)
            next_batch += 1
    return order


def gather(call: Call, x: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Windows of ``x`` at the given starts; out of bounds: moved inside, or (FILL_OR_DROP) filled."""
    params, numbers = call.params, dict(call.params["dimension_numbers"].fields)
    offset_dims, mode = numbers["offset_dims"], params["mode"]
    window = tuple(params["slice_sizes"])
    dropped, batching = numbers["collapsed_slice_dims"], numbers.get("operand_batching_dims", ())
    rank = len(call.result.shape)
    kept = [size for axis, size in enumerate(window) if axis not in dropped and axis not in batching]
    if not _distinct(offset_dims, rank) or list(offset_dims) != sorted(offset_dims) or len(offset_dims) != len(kept):
        raise Malformed("gather with offset dimensions that do not fit", call.equation)
    order = _shuffled(rank, offset_dims)
    sizes = (*indices.shape[1:-1], *kept)
    if len(sizes) != rank:
        raise Malformed("gather declares a result of another rank", call.equation)
    expect(call, [sizes[axis - 1] for axis in order[1:]])
    windows = _windows(
        call,
        x.shape[1:],
        indices,
        window,
        numbers["start_index_map"],
        dropped,
        batching,
        numbers.get("start_indices_batching_dims", ()),
        mode in _CLIP,
    )
    lanes = x.shape[0]
    taken = x.reshape(-1)[windows.places] if x.size else np.zeros(windows.places.shape, x.dtype)
    if windows.inside is not None:
        taken[~windows.inside] = _fill(call, x.dtype)
    return taken.reshape((lanes, *indices.shape[1:-1], *windows.sizes)).transpose(order)


def _fill(call: Call, dtype: np.dtype) -> object:
    """What stands for an element out of bounds."""
    if call.fill is not None:
        return call.fill
    if not call.operands or dtype != numpy_dtype(call.operands[0].dtype):
        return 0
    value = call.params.get("fill_value")
    if value is not None:
        return value
    if dtype.kind in "fcV":
        return np.nan
    if dtype.kind == "b":
        return True
    return np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max


def scatter_places(
    call: Call, x: np.ndarray, indices: np.ndarray, updates: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each update that lands: its position in the flattened operand, and its value; in order."""
    params, numbers = call.params, dict(call.params["dimension_numbers"].fields)
    shape, rank = x.shape[1:], updates.ndim - 1
    window_dims, inserted = numbers["update_window_dims"], numbers["inserted_window_dims"]
    batching = numbers.get("operand_batching_dims", ())
    kept = [axis for axis in range(len(shape)) if axis not in inserted and axis not in batching]
    if (
        not _distinct(window_dims, rank)
        or list(window_dims) != sorted(window_dims)
        or len(window_dims) != len(kept)
        or rank - len(window_dims) != indices.ndim - 2
    ):
        raise Malformed("scatter with window dimensions that do not fit", call.equation)
    window = [1] * len(shape)
    for axis, place in zip(kept, window_dims, strict=True):
        window[axis] = updates.shape[1 + place]
    windows = _windows(
        call,
        shape,
        indices,
        tuple(window),
        numbers["scatter_dims_to_operand_dims"],
        inserted,
        batching,
        numbers.get("scatter_indices_batching_dims", ()),
        params["mode"] in ("CLIP", "ONE_HOT"),
    )
    order = _shuffled(rank, window_dims)
    values = updates.transpose(np.argsort(order).tolist())
    if values.shape[: indices.ndim - 1] != indices.shape[:-1]:
        raise Malformed("scatter with updates that do not fit its indices", call.equation)
    values = values.reshape(windows.places.shape)
    if windows.inside is not None:
        return windows.places[windows.inside].reshape(-1), values[windows.inside].reshape(-1)
    return windows.places.reshape(-1), values.reshape(-1)


def scatter_with(combine: np.ufunc | None) -> Rule:
    """Write, or combine into, windows of the operand, in order; windows that stick out are dropped (or clipped)."""

    def rule(call: Call, x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        if combine is None and call.params.get("update_jaxpr") is not None:
            raise Unsupported(call.equation.primitive, "with a function of its own", call.equation)
        places, values = scatter_places(call, x, indices, updates)
        result = np.array(x, order="C")
        flat = result.reshape(-1)
        if combine is None:
            flat[places] = values
        elif values.size:
            combine.at(flat, places, values)
        return result

    return rule


RULES: dict[str, Rule] = {
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "gather": gather,
    "scatter": scatter_with(None),
    "scatter-add": scatter_with(np.add),
    "scatter-sub": scatter_with(np.subtract),
    "scatter-mul": scatter_with(np.multiply),
    "scatter-min": scatter_with(np.minimum),
    "scatter-max": scatter_with(np.maximum),
}

MOVEMENT: dict[str, tuple[int, ...]] = {
    "dynamic_slice": (0,),
    "dynamic_update_slice": (0, 1),
    "gather": (0,),
    "scatter": (0, 2),
}
