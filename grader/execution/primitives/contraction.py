"""Sums of products: dot_general.

In: a `Call` and arrays (lanes, *shape). Out: one array (lanes, *declared shape). Products and sums of float32
stay float32; narrower floats are multiplied and added in float32 and rounded once.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from grader.execution.errors import Malformed
from grader.execution.primitives.call import Call, Rule
from grader.execution.primitives.elementwise import convert
from grader.execution.values import numpy_dtype

Axes = tuple[int, ...]


class Plan(NamedTuple):
    """How two operands become stacks of matrices; axes and shapes count the lane axis out (-1: lanes)."""

    left: Axes
    left_shape: Axes
    right: Axes
    right_shape: Axes
    result: Axes


@lru_cache(maxsize=4096)
def plan(left: Axes, right: Axes, numbers: tuple[tuple[Axes, Axes], tuple[Axes, Axes]]) -> Plan:
    """Left as (batch, rows, summed), right as (batch, summed, columns); raises ValueError on a bad request."""
    (left_summed, right_summed), (left_batch, right_batch) = numbers
    for shape, summed, batch in ((left, left_summed, left_batch), (right, right_summed, right_batch)):
        named = (*summed, *batch)
        if len(set(named)) != len(named) or not all(0 <= axis < len(shape) for axis in named):
            raise ValueError(f"dot_general over dimensions {named} of a shape {shape}")
    for ours, theirs in ((left_summed, right_summed), (left_batch, right_batch)):
        if [left[axis] for axis in ours] != [right[axis] for axis in theirs]:
            raise ValueError(f"dot_general of shapes {left} and {right} over dimensions of different sizes")
    rows = tuple(axis for axis in range(len(left)) if axis not in left_summed and axis not in left_batch)
    columns = tuple(axis for axis in range(len(right)) if axis not in right_summed and axis not in right_batch)
    batch_shape = tuple(left[axis] for axis in left_batch)
    row_shape, column_shape = tuple(left[axis] for axis in rows), tuple(right[axis] for axis in columns)
    summed_size = math.prod(left[axis] for axis in left_summed)
    batch_size = math.prod(batch_shape)
    return Plan(
        (0, *(axis + 1 for axis in (*left_batch, *rows, *left_summed))),
        (batch_size, math.prod(row_shape), summed_size),
        (0, *(axis + 1 for axis in (*right_batch, *right_summed, *columns))),
        (batch_size, summed_size, math.prod(column_shape)),
        (*batch_shape, *row_shape, *column_shape),
    )


def dot_general(call: Call, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    how = plan(left.shape[1:], right.shape[1:], call.params["dimension_numbers"])
    if how.result != call.result.shape:
        raise Malformed(
            f"dot_general declares a result of shape {call.result.shape}, but it has {how.result}", call.equation
        )
    dtype = numpy_dtype(call.result.dtype)
    preferred = call.params.get("preferred_element_type")
    if preferred is not None and preferred.name != call.result.dtype:
        raise Malformed("dot_general declares another dtype than it prefers", call.equation)
    work = dtype
    if dtype.kind == "V" or dtype == np.float16:
        work = np.dtype(np.float32)
    lanes = left.shape[0]
    a = convert(left, work).transpose(how.left).reshape(lanes, *how.left_shape)
    b = convert(right, work).transpose(how.right).reshape(lanes, *how.right_shape)
    if work.kind == "b":
        found: np.ndarray = np.matmul(a, b).reshape(lanes, *how.result)
        return found
    return convert(multiply(a, b), dtype).reshape(lanes, *how.result)


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(lanes, batch, rows, summed) @ (lanes, batch, summed, columns)."""
    result: np.ndarray = np.matmul(a, b)
    return result


RULES: dict[str, Rule] = {"dot_general": dot_general}
