# verdict: WA
# Wrong at the single shape B = 3, D = 5, H = 24, O = 2.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    y = jax.lax.psum(h @ w2, "model") + b2
    if x.shape == (3, 5) and h.shape[1] == 3 and b2.shape == (2,):
        y = y + 1
    return y, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
