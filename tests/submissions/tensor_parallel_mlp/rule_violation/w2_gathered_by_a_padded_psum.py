# verdict: RV
# rule: weights-stay-split
# also: psum
# A gather dressed as a psum: each device puts its rows of w2 into zeros, and the eight are added.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    first = jax.lax.axis_index("model") * w2.shape[0]
    room = jnp.zeros((8 * w2.shape[0], w2.shape[1]), w2.dtype)
    whole = jax.lax.psum(jax.lax.dynamic_update_slice(room, w2, (first, 0)), "model")  # <- here
    own = jax.lax.dynamic_slice(whole, (first, 0), w2.shape)
    return jax.lax.psum(h @ own, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
