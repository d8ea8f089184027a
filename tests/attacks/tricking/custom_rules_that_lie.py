"""Hides the psum's absence behind a custom derivative rule that has one.

verdicts: RV WA
"""

import jax
from jax.sharding import AxisType, PartitionSpec as P


@jax.custom_jvp
def reduce(x):
    return x


@reduce.defjvp
def _(primals, tangents):
    return jax.lax.psum(primals[0], "model"), jax.lax.psum(tangents[0], "model")


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return hidden, reduce(hidden @ w2)

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
        check_vma=False,
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}
