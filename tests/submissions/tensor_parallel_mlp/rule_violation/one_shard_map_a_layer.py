# verdict: RV
# rule: weight-blocks
# also: weights-stay-split, psum, out-replicated, hidden-split, b2-once
# Two shard_maps, one a layer: no body sees all three weights.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def first(x, w1, b1):
    return jax.nn.relu(x @ w1 + b1)


def second(h, w2, b2):
    return jax.lax.psum(h @ w2, "model") + b2


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    hidden = jax.shard_map(
        first, mesh=mesh, in_specs=(P(), P(None, "model"), P("model")), out_specs=P(None, "model")
    )(x, w1, b1)
    out = jax.shard_map(
        second, mesh=mesh, in_specs=(P(None, "model"), P("model", None), P()), out_specs=P()
    )(hidden, w2, b2)
    return {"out": out, "hidden": hidden}
