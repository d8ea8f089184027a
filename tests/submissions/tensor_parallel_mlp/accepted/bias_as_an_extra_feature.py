# verdict: AC
# Inside the body b1 becomes one more row of the block and x gets a column of ones.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    ones = jnp.ones((x.shape[0], 1), x.dtype)
    h = jax.nn.relu(jnp.concatenate([x, ones], axis=1) @ jnp.concatenate([w1, b1[None]], axis=0))
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
