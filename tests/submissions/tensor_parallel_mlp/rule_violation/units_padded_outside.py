# verdict: RV
# rule: weight-blocks
# also: weights-stay-split, hidden-split
# Every block is padded with a unit of zeros before it is handed in.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h[:, :-1]


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    features, units = w1.shape
    w1 = jnp.pad(w1.reshape(features, 8, units // 8), ((0, 0), (0, 0), (0, 1))).reshape(features, units + 8)
    b1 = jnp.pad(b1.reshape(8, units // 8), ((0, 0), (0, 1))).ravel()
    w2 = jnp.pad(w2.reshape(8, units // 8, -1), ((0, 0), (0, 1), (0, 0))).reshape(units + 8, -1)
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
