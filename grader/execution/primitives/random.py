"""JAX's random numbers: the Threefry 2x32 hash, and keys made with it.

In: a `Call` and arrays with lanes; a key is one uint64, its first word in the high half. Out: the same bits as
JAX gives (with the partitionable counters that it uses by default).
"""

from __future__ import annotations

import math

import numpy as np

from grader.execution.errors import Malformed, Unsupported
from grader.execution.primitives.call import Call, Rule, aligned, expect

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def threefry(key1: np.ndarray, key2: np.ndarray, x1: np.ndarray, x2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Threefry-2x32 with 20 rounds, on arrays of uint32."""
    keys = (key1, key2, key1 ^ key2 ^ np.uint32(0x1BD11BDA))
    x1, x2 = x1 + keys[0], x2 + keys[1]
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x1 = x1 + x2
            x2 = (x2 << np.uint32(rotation)) | (x2 >> np.uint32(32 - rotation))
            x2 = x1 ^ x2
        x1 = x1 + keys[(group + 1) % 3]
        x2 = x2 + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x1, x2


def threefry2x32(call: Call, *words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if any(word.dtype != np.uint32 for word in words):
        raise Malformed("threefry2x32 of values that are not uint32", call.equation)
    key1, key2, x1, x2 = aligned(call, *words)
    return threefry(key1, key2, x1, x2)


def _words(key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (key >> _HALF).astype(np.uint32), (key & _LOW).astype(np.uint32)


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return (first.astype(np.uint64) << _HALF) | second.astype(np.uint64)


def _counted(key: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The hash of 0, 1, 2, … for each key: two words of shape (*key.shape, *shape)."""
    counts = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
    first, second = _words(key.reshape(key.shape + (1,) * len(shape)))
    return threefry(first, second, (counts >> _HALF).astype(np.uint32), (counts & _LOW).astype(np.uint32))


def _is_threefry(call: Call) -> None:
    impl = call.params.get("impl", "fry")
    if impl not in ("fry", "threefry2x32"):
        raise Unsupported(call.equation.primitive, f"keys of kind {impl}", call.equation)


def random_seed(call: Call, seeds: np.ndarray) -> np.ndarray:
    _is_threefry(call)
    wide = seeds.dtype.itemsize == 8
    return seeds.astype(np.uint64) if wide else seeds.astype(np.uint32).astype(np.uint64)


def random_wrap(call: Call, words: np.ndarray) -> np.ndarray:
    _is_threefry(call)
    if words.dtype != np.uint32 or words.shape[-1] != 2 or words.ndim < 2:
        raise Malformed("random_wrap of something that is not pairs of uint32", call.equation)
    return _joined(words[..., 0], words[..., 1])


def random_unwrap(call: Call, keys: np.ndarray) -> np.ndarray:
    return np.stack(list(_words(keys)), axis=-1)


def random_bits(call: Call, keys: np.ndarray) -> np.ndarray:
    width, shape = call.params["bit_width"], tuple(call.params["shape"])
    expect(call, (*keys.shape[1:], *shape))
    first, second = _counted(keys, shape)
    if width == 64:
        return _joined(first, second)
    dtype = {8: np.uint8, 16: np.uint16, 32: np.uint32}.get(width)
    if dtype is None:
        raise Malformed(f"random_bits of width {width}", call.equation)
    bits: np.ndarray = (first ^ second).astype(dtype)
    return bits


def random_split(call: Call, keys: np.ndarray) -> np.ndarray:
    shape = tuple(call.params["shape"])
    expect(call, (*keys.shape[1:], *shape))
    return _joined(*_counted(keys, shape))


def random_fold_in(call: Call, keys: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    keys, numbers = aligned(call, keys, numbers)
    first, second = _words(keys)
    data = numbers.astype(np.uint32)
    return _joined(*threefry(first, second, np.zeros((), np.uint32), data))


def random_clone(call: Call, keys: np.ndarray) -> np.ndarray:
    return keys


RULES: dict[str, Rule] = {
    "threefry2x32": threefry2x32,
    "random_seed": random_seed,
    "random_wrap": random_wrap,
    "random_unwrap": random_unwrap,
    "random_bits": random_bits,
    "random_split": random_split,
    "random_fold_in": random_fold_in,
    "random_clone": random_clone,
}

MOVEMENT: dict[str, tuple[int, ...]] = {"random_clone": (0,)}
