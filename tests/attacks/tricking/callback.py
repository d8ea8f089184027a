"""Computes on the host, in a callback.

verdicts: RV
"""

import jax
import jax.numpy as jnp
import numpy as np
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


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    answer = right(x, w1, b1, w2, b2)
    shape = jax.ShapeDtypeStruct((x.shape[0], w2.shape[1]), jnp.float32)
    out = jax.pure_callback(lambda o: np.asarray(o), shape, answer["out"])
    return {"out": out, "hidden": answer["hidden"]}
