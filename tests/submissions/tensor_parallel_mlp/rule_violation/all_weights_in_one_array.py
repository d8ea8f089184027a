# verdict: RV
# rule: weight-blocks
# also: weights-stay-split
# w1, b1 and w2 are packed into one array of H rows, split by rows.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, packed, b2):
    features = x.shape[1]
    w1t, b1, w2 = packed[:, :features], packed[:, features], packed[:, features + 1 :]
    h = jax.nn.relu(x @ w1t.T + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, jnp.concatenate([w1.T, b1[:, None], w2], axis=1), b2)
    return {"out": out, "hidden": hidden}
