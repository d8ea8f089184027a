# verdict: RV
# rule: weights-stay-split
# w1 is handed in split, and a second time whole; the second is only multiplied by zero.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2, whole_w1):
    h = jax.nn.relu(x @ w1 + b1)
    y = jax.lax.psum(h @ w2, "model") + b2
    return y + 0 * jnp.sum(whole_w1), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P(), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2, w1)
    return {"out": out, "hidden": hidden}
