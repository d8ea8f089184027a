"""Keeps the decoy alive by adding zero times it.

verdicts: RV
"""

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


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    decoy, answer = right(x, w1, b1, w2, b2), dense(x, w1, b1, w2, b2)
    return {"out": decoy["out"] * 0 + answer["out"], "hidden": answer["hidden"]}
