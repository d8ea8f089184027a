# verdict: AC
# Columns taken by index arrays, contributions added by scatter-add.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    width = w1.shape[1]
    order = jnp.arange(width)[::-1]
    z = x @ jnp.take(w1, order, axis=1) + b1[order]
    h = jnp.zeros_like(z).at[:, order].set(jax.nn.relu(z))
    rows = jnp.zeros((width, x.shape[0], w2.shape[1])).at[order].add(h.T[order][:, :, None] * w2[order][:, None, :])
    return jax.lax.psum(rows.sum(axis=0), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
