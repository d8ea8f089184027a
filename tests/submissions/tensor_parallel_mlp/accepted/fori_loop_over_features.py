# verdict: AC
# fori_loop over the features for the first product, over the units for the second.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    z = jax.lax.fori_loop(
        0, x.shape[1], lambda d, acc: acc + x[:, d][:, None] * w1[d][None, :], jnp.broadcast_to(b1, (x.shape[0], b1.shape[0]))
    )
    h = jnp.maximum(z, 0.0)

    def add_unit(j, acc):
        return acc + jax.lax.dynamic_slice_in_dim(h, j, 1, 1) * jax.lax.dynamic_slice_in_dim(w2, j, 1, 0)

    partial = jax.lax.fori_loop(0, h.shape[1], add_unit, h[:, :1] * w2[:1] * 0.0)
    return jax.lax.psum(partial, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
