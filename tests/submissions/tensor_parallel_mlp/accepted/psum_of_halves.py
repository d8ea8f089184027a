# verdict: AC
# The batch in two halves, each with its own psum (nothing to overlap here, but people do it).
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    middle = h.shape[0] // 2
    top = jax.lax.psum(h[:middle] @ w2, "model")
    bottom = jax.lax.psum(h[middle:] @ w2, "model")
    return jnp.concatenate([top, bottom], axis=0) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
