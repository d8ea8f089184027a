# verdict: RV
# rule: weight-blocks
# also: weights-stay-split
# b1 is appended to w1 as one more row: the body gets (D + 1, H/8).
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w, w2, b2):
    h = jax.nn.relu(x @ w[:-1] + w[-1])
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    w = jnp.concatenate([w1, b1[None]], axis=0)
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w, w2, b2)
    return {"out": out, "hidden": hidden}
