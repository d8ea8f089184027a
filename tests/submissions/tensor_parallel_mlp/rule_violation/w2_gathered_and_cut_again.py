# verdict: RV
# rule: weights-stay-split
# also: psum
# w2 arrives split, is gathered, and the own rows are cut out again.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    rows = w2.shape[0]
    whole = jax.lax.all_gather(w2, "model", axis=0, tiled=True)  # <- here
    own = jax.lax.dynamic_slice_in_dim(whole, jax.lax.axis_index("model") * rows, rows, axis=0)
    return jax.lax.psum(h @ own, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
