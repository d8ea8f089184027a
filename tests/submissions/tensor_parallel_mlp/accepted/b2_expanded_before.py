# verdict: AC
# b2 is spread over the batch outside and handed in as (B, O).
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, bias):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + bias, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    bias = jnp.broadcast_to(b2[None, :], (x.shape[0], b2.size))
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P(None, None)),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, bias)
    return {"out": out, "hidden": hidden}
