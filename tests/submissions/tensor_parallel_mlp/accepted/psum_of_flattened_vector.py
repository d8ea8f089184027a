# verdict: AC
# One flat vector is reduced: the partial products, and a statistic behind them that is cut off.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    partial = h @ w2
    packed = jnp.concatenate([partial.ravel(), jnp.mean(h)[None]])
    total = jax.lax.psum(packed, "model")
    return total[:-1].reshape(partial.shape) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
