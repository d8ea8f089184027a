# verdict: AC
# A dropout layer that keeps every unit: a random mask of probability one.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


KEY = 0


def dropout(h, rate):
    keep = jax.random.bernoulli(jax.random.key(KEY), 1.0 - rate, h.shape)
    return jnp.where(keep, h / (1.0 - rate), 0.0)


def body(x, w1, b1, w2, b2):
    h = dropout(jax.nn.relu(x @ w1 + b1), rate=0.0)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
