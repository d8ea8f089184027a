"""Poisons JAX's cache of traces: another program hides behind the same function.

Whichever of the two JAX takes, it is the one that is judged and run.

verdicts: RV AC
"""

import functools

import jax
from jax.sharding import AxisType, PartitionSpec as P


def right(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return hidden, jax.lax.psum(hidden @ w2, "model")

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}


def dense(x, w1, b1, w2, b2):
    hidden = jax.nn.relu(x @ w1 + b1)
    return {"out": hidden @ w2 + b2, "hidden": hidden}


class Function:
    """Equal to every other one, so that a cache keyed by it returns what was traced for another."""

    def __init__(self, function):
        self.function = function

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __call__(self, *args):
        return self.function(*args)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    jax.jit(Function(right))(x, w1, b1, w2, b2)
    return jax.jit(Function(dense))(x, w1, b1, w2, b2)
