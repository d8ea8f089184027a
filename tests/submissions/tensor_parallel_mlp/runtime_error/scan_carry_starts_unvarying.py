# verdict: RE
# The carry starts the same on every device and does not stay so: it wants a pcast.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    start = jnp.zeros((x.shape[0], w2.shape[1]))
    partial, _ = jax.lax.scan(lambda acc, hw: (acc + jnp.outer(*hw), None), start, (h.T, w2))  # <- here
    return jax.lax.psum(partial, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
