"""Traces the entry function for one choice of shapes: a `Program`, or why there is none.

The function is called as it would be inside ``jax.jit``, every argument traced and passed by position. No
numbers are involved: what is asked for are shapes and dtypes.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from grader.program.types import Container, Leaf, Program, Returned
from grader.tracer.encode import encode
from grader.tracer.errors import Leaked, TooLarge, Unsupported
from grader.tracer.explain import explain, show_all_frames
from grader.tracer.messages import TraceError
from grader.tracer.places import Places
from grader.tracer.returned import look_at

REPLACED = "jax.make_jaxpr returned without having called the function: it was replaced."

Arguments = Sequence[tuple[tuple[int, ...], str]]


def trace(
    entry: Callable[..., Any], arguments: Arguments, places: Places, gradient: bool = False
) -> Program | TraceError:
    """Trace ``entry`` for arguments of these shapes and dtypes; never raises what the submission raised.

    With ``gradient`` the last argument is for weights: the program also computes the gradient of the weighted sum
    of the one array that ``entry`` returns, by its one argument (see `value_and_gradient`).
    """
    seen: list[Returned] = []

    def flat(*arrays: jax.Array) -> list[Any]:
        returned, leaves = value_and_gradient(entry, *arrays) if gradient else look_at(entry(*arrays))
        seen.append(returned)
        return leaves

    name_after(entry, flat)
    show_all_frames()  # the submission may have changed it
    inputs = [jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape, dtype in arguments]  # type: ignore[no-untyped-call]
    try:
        closed = jax.make_jaxpr(flat)(*inputs)
    except BaseException as error:
        return explain(error, places)
    if not seen:
        return TraceError(kind="exception", type="RuntimeError", message=REPLACED)
    try:
        return encode(closed, seen[-1], places.filename, places)
    except (Unsupported, TooLarge, Leaked, MemoryError) as error:
        return explain(error, places)
    except BaseException as error:  # a fault of the encoder's is no fault of the submission's
        return explain(Unsupported(f"something unforeseen ({type(error).__name__}: {error})"), places)


def value_and_gradient(entry: Callable[..., Any], x: jax.Array, weights: jax.Array) -> tuple[Returned, list[Any]]:
    """What ``entry`` returns, called as it is, and beside it the gradient by ``x`` of its sum with ``weights``.

    Without the gradient where ``entry`` does not return one array like ``weights``: then there is none.
    """
    returned, leaves = look_at(entry(x))
    if not isinstance(returned, Leaf) or not alike(leaves[0], weights):
        return returned, leaves
    _, backward = jax.vjp(entry, x)
    [gradient] = backward(weights)
    return Container("value and gradient", ("value", "gradient"), (Leaf(0), Leaf(1))), [leaves[0], gradient]


def alike(one: Any, other: jax.Array) -> bool:
    return jnp.shape(one) == other.shape and jnp.result_type(one) == other.dtype


def name_after(entry: Callable[..., Any], function: Callable[..., Any]) -> None:
    """Let JAX's messages speak of the entry function and its parameters, not of the judge's wrapper."""
    with contextlib.suppress(Exception):
        inspect.unwrap(entry)  # JAX will do so, and does not expect that it goes round in circles
        functools.update_wrapper(function, entry)
