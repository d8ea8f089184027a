"""Programs for the referee's tests: functions written here, traced and pruned as submissions are."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from grader.problem import Problem, Shape, concrete
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.program.prune import prune
from grader.program.types import Container, Leaf, Program
from grader.tracer.encode import encode

Wrong = Callable[..., Any]
"""What is added to ``out``, from (x, w1, b1, w2, b2, hidden, out): hidden is the device's own block."""


def trace(function: Callable[..., dict[str, Any]], shape: Shape, problem: Problem = PROBLEM) -> Program:
    """The pruned program of a function that returns a dict of the problem's outputs."""
    inputs = [jax.ShapeDtypeStruct(concrete(each.shape, shape), each.dtype) for each in problem.inputs]
    keys = tuple(sorted(each.name for each in problem.outputs))
    returned = Container("dict", keys, tuple(Leaf(place) for place in range(len(keys))))
    return prune(encode(jax.make_jaxpr(function)(*inputs), returned, __file__))


def mlp(
    wrong: Wrong | None = None,
    *,
    inside: Wrong | None = None,
    on_each: Wrong | None = None,
    check_vma: bool = True,
) -> Callable[..., dict[str, Any]]:
    """The right answer to tensor_parallel_mlp, but for what is added to ``out``.

    ``wrong`` is added outside of the shard_map, ``on_each`` at its end, ``inside`` before the psum.
    """

    def tensor_parallel_mlp(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> dict[str, Any]:
        @functools.partial(
            jax.shard_map,
            mesh=Mesh(np.array(jax.devices()), ("model",)),
            in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
            out_specs=(P(), P(None, "model")),
            check_vma=check_vma,
        )
        def body(x: Any, w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
            hidden = jnp.maximum(x @ w1 + b1, 0.0)
            partial = hidden @ w2
            if inside is not None:
                partial = partial + inside(x, w1, b1, w2, b2, hidden, partial)
            out = jax.lax.psum(partial, "model") + b2
            if on_each is not None:
                out = out + on_each(x, w1, b1, w2, b2, hidden, out)
            return out, hidden

        out, hidden = body(x, w1, b1, w2, b2)
        if wrong is not None:
            out = out + wrong(x, w1, b1, w2, b2, hidden, out)
        return {"out": out, "hidden": hidden}

    return tensor_parallel_mlp
