"""Primitives that only move elements: reshaping, slicing, joining, choosing.

In: a `Call` and arrays (lanes, *shape), the moved ones of any dtype. Out: arrays (lanes, *declared shape). What
is moved is never looked at, so that a data-flow analysis can run the same rules on labels.
"""

from __future__ import annotations

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, Rule, expect
from grader.execution.values import numpy_dtype

_SMALL = 1 << 14
"""Below so many elements a copy is faster than NumPy's making of a broadcast view."""


def same(call: Call, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Each operand as it is."""
    return arrays


def reshape(call: Call, x: np.ndarray) -> np.ndarray:
    new = call.params.get("new_sizes")
    if new is not None and tuple(new) != call.result.shape:
        raise Malformed("reshape to another shape than it declares", call.equation)
    if call.params.get("dimensions") is not None:
        x = x.transpose(0, *(axis + 1 for axis in call.params["dimensions"]))
    return x.reshape(x.shape[:1] + call.result.shape)


def squeeze(call: Call, x: np.ndarray) -> np.ndarray:
    gone = {axis % (x.ndim - 1) for axis in call.params["dimensions"]}
    if any(x.shape[axis + 1] != 1 for axis in gone):
        raise Malformed("squeeze of a dimension that is not 1", call.equation)
    kept = tuple(size for axis, size in enumerate(x.shape[1:]) if axis not in gone)
    return x.reshape(x.shape[:1] + expect(call, kept))


def expand_dims(call: Call, x: np.ndarray) -> np.ndarray:
    return x.reshape(x.shape[:1] + call.result.shape)


def transpose(call: Call, x: np.ndarray) -> np.ndarray:
    return x.transpose((0, *(axis + 1 for axis in call.params["permutation"])))


def broadcast_in_dim(call: Call, x: np.ndarray, *dynamic: np.ndarray) -> np.ndarray:
    if dynamic:
        raise Malformed("broadcast_in_dim with sizes that are values", call.equation)
    shape = expect(call, call.params["shape"])
    places = call.params["broadcast_dimensions"]
    spread = [1] * len(shape)
    before = -1
    for place, size in zip(places, x.shape[1:], strict=True):
        if not before < place < len(shape) or size not in (1, shape[place]):
            raise Malformed("broadcast_in_dim of a shape that does not fit", call.equation)
        spread[place] = size
        before = place
    return spread_out(x.reshape((x.shape[0], *spread)), (x.shape[0], *shape))


def spread_out(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """``x`` broadcast to ``shape``."""
    if x.shape == shape:
        return x
    if x.size and x.size * 64 < _SMALL:
        size = 1
        for each in shape:
            size *= each
        if size < _SMALL:
            result = np.empty(shape, x.dtype)
            result[...] = x
            return result
    return np.broadcast_to(x, shape)


def concatenate(call: Call, *arrays: np.ndarray) -> np.ndarray:
    return np.concatenate(arrays, axis=_axis(call.params["dimension"], arrays[0]))


def stack(call: Call, *arrays: np.ndarray) -> np.ndarray:
    axis = call.params["axis"]
    if not 0 <= axis < arrays[0].ndim:
        raise Malformed("stack along a dimension that the result does not have", call.equation)
    return np.stack(arrays, axis + 1)


def unstack(call: Call, x: np.ndarray) -> list[np.ndarray]:
    axis = _axis(call.params["axis"], x)
    if len(call.results) != x.shape[axis]:
        raise Malformed("unstack into another number of results than it declares", call.equation)
    return [x[(slice(None),) * axis + (place,)] for place in range(x.shape[axis])]


def _axis(axis: int, array: np.ndarray) -> int:
    """A dimension as an axis of an array with lanes; dimensions are never counted from the end."""
    if not 0 <= axis < array.ndim - 1:
        raise Malformed(f"dimension {axis} of an array of rank {array.ndim - 1}")
    return axis + 1


def pad(call: Call, x: np.ndarray, padding: np.ndarray) -> np.ndarray:
    """Edges may be negative (cut off); ``interior`` elements go between neighbours."""
    config = call.params["padding_config"]
    shape = expect(
        call,
        [
            low + high + size + max(size - 1, 0) * interior
            for (low, high, interior), size in zip(config, x.shape[1:], strict=True)
        ],
    )
    result = np.empty((x.shape[0], *shape), np.result_type(x.dtype, padding.dtype))
    result[...] = padding.reshape((x.shape[0],) + (1,) * len(shape))
    source: list[slice] = [slice(None)]
    target: list[slice] = [slice(None)]
    for (low, _, interior), size, whole in zip(config, x.shape[1:], shape, strict=True):
        step = interior + 1
        if interior < 0:
            raise Malformed("pad with negative interior", call.equation)
        first = max(0, -(low // step)) if low < 0 else 0
        last = min(size, max((whole - 1 - low) // step + 1, 0))  # one past the last element that stays
        if first >= last:
            return result
        source.append(slice(first, last))
        start = low + first * step
        target.append(slice(start, start + (last - first - 1) * step + 1, step))
    result[tuple(target)] = x[tuple(source)]
    return result


def slice_(call: Call, x: np.ndarray) -> np.ndarray:
    starts, limits = call.params["start_indices"], call.params["limit_indices"]
    strides = call.params.get("strides") or (1,) * len(starts)
    index = [slice(None)]
    for start, limit, stride, size in zip(starts, limits, strides, x.shape[1:], strict=True):
        if not 0 <= start <= limit <= size or stride < 1:
            raise Malformed("slice outside its operand", call.equation)
        index.append(slice(start, limit, stride))
    return x[tuple(index)]


def rev(call: Call, x: np.ndarray) -> np.ndarray:
    return np.flip(x, tuple(_axis(axis, x) for axis in call.params["dimensions"]))


def split(call: Call, x: np.ndarray) -> list[np.ndarray]:
    axis = _axis(call.params["axis"], x)
    found, start = [], 0
    for size in call.params["sizes"]:
        if size < 0:
            raise Malformed("split into a negative size", call.equation)
        found.append(x[(slice(None),) * axis + (slice(start, start + size),)])
        start += size
    if start != x.shape[axis]:
        raise Malformed("split into sizes that do not add up", call.equation)
    return found


def tile(call: Call, x: np.ndarray) -> np.ndarray:
    reps = tuple(call.params["reps"])
    expect(call, [size * rep for size, rep in zip(x.shape[1:], reps, strict=True)])
    return np.tile(x, (1, *reps))


def select_n(call: Call, which: np.ndarray, *cases: np.ndarray) -> np.ndarray:
    """Case ``which[i]`` at element i; a scalar ``which`` chooses whole cases; numbers too large take the last."""
    if which.ndim != cases[0].ndim:
        which = which.reshape(which.shape[:1] + (1,) * (cases[0].ndim - 1))
    if which.dtype.kind != "b" and len(cases) == 2:
        which = which > 0
    if len(cases) == 2:
        return np.where(which, cases[1], cases[0])
    if len(cases) == 1:
        return cases[0]
    chosen = cases[0]
    for k, case in enumerate(cases[1:], 1):
        chosen = np.where(which >= k, case, chosen)
    return chosen


def iota(call: Call, *dynamic: np.ndarray) -> np.ndarray:
    """Built by the simulator's `lanes`-free rule: one lane, broadcast by the caller."""
    shape = expect(call, call.params["shape"])
    axis = call.params["dimension"]
    if dynamic or not 0 <= axis < len(shape):
        raise Malformed("iota along a dimension that it does not have", call.equation)
    size = [1] * len(shape)
    size[axis] = shape[axis]
    numbers = np.arange(shape[axis]).astype(numpy_dtype(call.params["dtype"].name))
    return np.broadcast_to(numbers.reshape((1, *size)), (1, *shape))


def platform_index(call: Call) -> np.ndarray:
    """Which branch is written for the CPU: the first that names it, or that names no platform."""
    for index, names in enumerate(call.params["platforms"]):
        if names is None or "cpu" in names:
            return np.array([index], np.int32)
    raise Malformed("platform_index without a branch for the CPU", call.equation)


def nothing(call: Call, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """What is done for its effect on the outside (a debug print) has no results."""
    return ()


def empty(call: Call) -> np.ndarray:
    """What nobody has written yet; XLA on CPU fills it with zeros. One lane."""
    return np.zeros((1, *call.result.shape), numpy_dtype(call.result.dtype))


RULES: dict[str, Rule] = {
    "empty": empty,
    "empty2": empty,
    "reshape": reshape,
    "squeeze": squeeze,
    "expand_dims": expand_dims,
    "transpose": transpose,
    "broadcast_in_dim": broadcast_in_dim,
    "concatenate": concatenate,
    "pad": pad,
    "slice": slice_,
    "rev": rev,
    "split": split,
    "tile": tile,
    "select_n": select_n,
    "stack": stack,
    "unstack": unstack,
    "iota": iota,
    "platform_index": platform_index,
    "debug_callback": nothing,
    **dict.fromkeys(
        (
            "copy",
            "copy_p",
            "name",
            "optimization_barrier",
            "reshard",
            "sharding_constraint",
            "device_put",
            "stop_gradient",
            "mesh_cast",
            "layout_constraint",
        ),
        same,
    ),
}

MOVEMENT: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        (
            "reshape",
            "squeeze",
            "expand_dims",
            "transpose",
            "broadcast_in_dim",
            "slice",
            "rev",
            "split",
            "tile",
        ),
        (0,),
    ),
    "pad": (0, 1),
    "concatenate": (),
    "stack": (),
    "unstack": (0,),
    **dict.fromkeys(
        (
            "copy",
            "copy_p",
            "name",
            "optimization_barrier",
            "reshard",
            "sharding_constraint",
            "device_put",
            "stop_gradient",
            "mesh_cast",
            "layout_constraint",
        ),
        (),
    ),
}
