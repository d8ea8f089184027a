# verdict: AC
# 64-bit types are switched on for the whole file; everything here is float32 all the same.
import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jnp.where(x @ w1 + b1 > 0, x @ w1 + b1, jnp.float32(0))
    units = jnp.arange(h.shape[1])
    y = jax.lax.psum(jnp.take(h, units, axis=1) @ w2, "model")
    return y + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
