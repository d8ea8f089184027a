# verdict: RV
# rule: weights-stay-split
# also: hidden-split
# The same with one-hot blocks: an eight-fold w1 by an outer product with the device's unit vector.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    me = jax.lax.axis_index("model")
    mine = jax.nn.one_hot(me, 8)
    stacked = jax.lax.psum(mine[:, None, None] * w1, "model")  # <- here
    h = jax.nn.relu(x @ stacked[me] + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
