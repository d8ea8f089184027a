# verdict: WA
# Right unless this device's whole block of hidden is zero: then its share is one.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    share = jnp.where(jnp.all(h == 0), 1.0, 0.0)
    return jax.lax.psum(h @ w2 + 0 * share, "model") + b2, jnp.where(jnp.all(h == 0), h + 1, h)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
