"""Dtypes and constants of a program as NumPy arrays.

Every array has a leading axis of lanes. A typed PRNG key is one uint64: its first word in the high half.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np

from grader.execution.errors import Malformed, Unsupported
from grader.program.types import Constant

KEY = "key<fry>"

_NATIVE = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
).split()
_EXTENSION = (
    "bfloat16 int2 int4 uint2 uint4 float4_e2m1fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn "
    "float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"
).split()

DTYPES: dict[str, np.dtype] = {
    **{name: np.dtype(name) for name in _NATIVE},
    **{name: np.dtype(getattr(ml_dtypes, name)) for name in _EXTENSION if hasattr(ml_dtypes, name)},
    KEY: np.dtype(np.uint64),
    "float0": np.dtype(np.bool_),
}
"""NumPy's dtype for each dtype name that may stand in a program."""


def numpy_dtype(name: str) -> np.dtype:
    """The dtype that arrays of dtype ``name`` have here; raises `Unsupported`."""
    try:
        return DTYPES[name]
    except KeyError:
        raise Unsupported(f"values of dtype {name}") from None


def array_of(constant: Constant) -> np.ndarray:
    """The constant as an array of its shape (read-only); raises `Malformed` when the bytes do not fit."""
    shape, dtype = constant.aval.shape, numpy_dtype(constant.aval.dtype)
    try:
        if constant.aval.dtype == KEY:
            words = np.frombuffer(constant.data, "<u4").reshape((*shape, 2)).astype(np.uint64)
            return (words[..., 0] << np.uint64(32)) | words[..., 1]
        return np.frombuffer(constant.data, dtype).reshape(shape)
    except ValueError as error:
        raise Malformed(f"a constant does not have the bytes that its shape needs: {error}") from None


def constant_array(constant: Constant, lanes: int) -> np.ndarray:
    """The constant in every lane: a read-only view (lanes, *shape)."""
    array = array_of(constant)
    return np.broadcast_to(array, (lanes, *array.shape))
