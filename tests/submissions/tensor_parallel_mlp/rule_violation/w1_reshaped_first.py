# verdict: RV
# rule: weight-blocks
# w1 enters as (D, 1, H/8).
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1[:, 0] + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    features, units = w1.shape
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model", None), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1.reshape(features, 8, units // 8), b1, w2, b2)
    return {"out": out, "hidden": hidden}
