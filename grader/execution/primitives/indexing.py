"""Primitives that read or write at places given by values: dynamic slices, gather, scatter.

In: a `Call`, arrays (lanes, *shape) and index arrays (lanes, *shape). Out: one array (lanes, *declared shape).
Out-of-range starts of dynamic slices are moved inside; gather and scatter follow their ``mode``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, Rule, expect

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


RULES: dict[str, Rule] = {
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
}

MOVEMENT: dict[str, tuple[int, ...]] = {
    "dynamic_slice": (0,),
    "dynamic_update_slice": (0, 1),
}
