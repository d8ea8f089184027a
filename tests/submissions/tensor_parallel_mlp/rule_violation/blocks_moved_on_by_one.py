# verdict: RV
# rule: weight-blocks
# also: weights-stay-split, hidden-split
# Device d gets the block of device d - 1: all weights are rolled, hidden is rolled back.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    width = w1.shape[1] // 8
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, jnp.roll(w1, width, 1), jnp.roll(b1, width), jnp.roll(w2, width, 0), b2)
    return {"out": out, "hidden": jnp.roll(hidden, -width, 1)}
