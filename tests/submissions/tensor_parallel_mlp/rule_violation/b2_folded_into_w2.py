# verdict: RV
# rule: b2-once
# A constant hidden unit with b2/8 as its row of w2.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    h1 = jnp.concatenate([h, jnp.ones((h.shape[0], 1), h.dtype)], axis=1)
    w21 = jnp.concatenate([w2, b2[None] / 8], axis=0)
    return jax.lax.psum(h1 @ w21, "model"), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
