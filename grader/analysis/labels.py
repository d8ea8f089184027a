"""The labels that the data-flow analysis attaches to every element of every value.

A label is a 64-bit set, kept in a NumPy uint64. It says what an element may depend on:

* ``held(i, d)``: program input *i*, by way of what device *d* of a shard_map body was given of it;
* ``whole(i)``: program input *i*, outside every shard_map body;
* `REDUCED`: it went through a psum that adds up partial products (see `grader.analysis.flow.Reduction`);
* `MOVED`: it went through a collective, so it holds something of other devices;
* `COLLECTED`: device-held data that the problem wants reduced went through another collective instead;
* `SPLIT`: it left a shard_map under a spec that names an axis;
* `UNREDUCED`: it left a shard_map without its device-held data having been reduced;
* `UNKNOWN`: it was made by something that the judge cannot compute, of no input.

An empty label (zero) means that the element depends on no input: its value is known.
"""

from __future__ import annotations

import functools

import numpy as np

INPUTS = 6
DEVICES = 8

REDUCED = np.uint64(1 << 58)
MOVED = np.uint64(1 << 59)
COLLECTED = np.uint64(1 << 60)
SPLIT = np.uint64(1 << 61)
UNREDUCED = np.uint64(1 << 62)
UNKNOWN = np.uint64(1 << 63)
NONE = np.uint64(0)


_HELD = np.array(
    [[1 << (position * DEVICES + device) for device in range(DEVICES)] for position in range(INPUTS)], np.uint64
)
_ANYWHERE: list[np.uint64] = list(np.bitwise_or.reduce(_HELD, axis=1))
_WHOLE = [np.uint64(1 << (INPUTS * DEVICES + position)) for position in range(INPUTS)]
_ANY: list[np.uint64] = [held | whole for held, whole in zip(_ANYWHERE, _WHOLE, strict=True)]


@functools.cache
def held(position: int, devices: int) -> np.ndarray:
    """What each of ``devices`` devices holds of input ``position``: (devices,). Inputs past the sixth share labels."""
    marks: np.ndarray = _HELD[min(position, INPUTS - 1), np.arange(devices) % DEVICES]
    marks.setflags(write=False)
    return marks


def held_anywhere(position: int) -> np.uint64:
    return _ANYWHERE[min(position, INPUTS - 1)]


def whole(position: int) -> np.uint64:
    return _WHOLE[min(position, INPUTS - 1)]


def any_of(position: int) -> np.uint64:
    """Input ``position``, in a body or outside."""
    return _ANY[min(position, INPUTS - 1)]
