# verdict: AC
# A scan over pairs of features with unroll, its step checkpointed.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    @jax.checkpoint
    def step(z, feature):
        column, weights = feature
        return z + column[:, None] * weights[None, :], None

    start = jnp.tile(b1, (x.shape[0], 1))
    z, _ = jax.lax.scan(step, start, (x.T, w1), unroll=2)
    h = jax.nn.relu(z)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
