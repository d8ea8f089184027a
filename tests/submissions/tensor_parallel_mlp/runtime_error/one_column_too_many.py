# verdict: RE
# b1 is joined to the product as a column instead of being added.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    column = jnp.zeros((x.shape[0], 1)) + b1[0]
    h = jax.nn.relu(jnp.concatenate([x @ w1, column], axis=1))
    return jax.lax.psum(h @ w2, "model") + b2, h  # <- here


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
