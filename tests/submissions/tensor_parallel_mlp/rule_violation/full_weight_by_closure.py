# verdict: RV
# rule: weights-stay-split
# also: weight-blocks
# w2 is closed over, so that every device holds the whole of it.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def body(x, w1, b1):
        h = jax.nn.relu(x @ w1 + b1)
        first = jax.lax.axis_index("model") * h.shape[1]
        rows = jax.lax.dynamic_slice_in_dim(w2, first, h.shape[1], axis=0)
        return jax.lax.psum(h @ rows, "model") + b2, h

    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model")),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1)
    return {"out": out, "hidden": hidden}
