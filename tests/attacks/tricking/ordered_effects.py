"""Hides host effects in io_callback, ordered, so that they cannot be dropped.

verdicts: RV
harm: file @FOLDER@/called
"""

import jax
from jax.experimental import io_callback
from jax.sharding import AxisType, PartitionSpec as P


def write(value):
    open("@FOLDER@/called", "w").close()
    return value


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


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x = io_callback(write, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)
    return right(x, w1, b1, w2, b2)
