# verdict: RV
# rule: weights-stay-split
# also: weight-blocks
# Every device gets all of w1 and cuts its own columns out.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    width = b1.shape[0]
    start = jax.lax.axis_index("model") * width
    own = jax.lax.dynamic_slice_in_dim(w1, start, width, axis=1)
    h = jax.nn.relu(x @ own + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
