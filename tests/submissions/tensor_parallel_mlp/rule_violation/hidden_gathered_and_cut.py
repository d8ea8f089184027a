# verdict: RV
# rule: hidden-split
# hidden is gathered and every device returns its own columns of the whole.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    whole = jax.lax.all_gather(h, "model", axis=1, tiled=True)
    own = jax.lax.dynamic_slice_in_dim(whole, jax.lax.axis_index("model") * h.shape[1], h.shape[1], axis=1)
    return jax.lax.psum(h @ w2, "model") + b2, own


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
