# verdict: RV
# rule: b2-once
# The accumulator of the local sum starts from b2, on every device.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    acc = jnp.broadcast_to(b2, (x.shape[0], b2.shape[0]))
    for j in range(h.shape[1]):
        acc = acc + jnp.outer(h[:, j], w2[j])
    return jax.lax.psum(acc, "model"), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
