# verdict: AC
# One psum for each of the device's hidden units; their totals are added up.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jnp.maximum(x @ w1 + b1, 0.0)
    out = jnp.broadcast_to(b2, (x.shape[0], b2.shape[0]))
    for j in range(h.shape[1]):
        out = out + jax.lax.psum(jnp.outer(h[:, j], w2[j]), "model")
    return {"out": out, "hidden": h}


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs={"out": P(), "hidden": P(None, "model")},
    )(x, w1, b1, w2, b2)
