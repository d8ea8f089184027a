# verdict: RV
# rule: weights-stay-split
# also: hidden-split
# w1 arrives split, is gathered, and the own block is cut out of it.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    whole = jax.lax.all_gather(w1, "model", axis=1, tiled=True)  # <- here
    own = jax.lax.dynamic_slice_in_dim(whole, jax.lax.axis_index("model") * w1.shape[1], w1.shape[1], axis=1)
    h = jax.nn.relu(x @ own + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
