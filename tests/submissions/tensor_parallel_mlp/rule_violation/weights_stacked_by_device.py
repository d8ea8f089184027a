# verdict: RV
# rule: weight-blocks
# also: weights-stay-split
# The weights are reshaped to a leading axis of eight devices.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1[0] + b1[0])
    return jax.lax.psum(h @ w2[0], "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    features, units = w1.shape
    w1 = w1.reshape(features, 8, units // 8).transpose(1, 0, 2)
    b1 = b1.reshape(8, units // 8)
    w2 = w2.reshape(8, units // 8, w2.shape[1])
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P("model"), P("model"), P("model"), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
