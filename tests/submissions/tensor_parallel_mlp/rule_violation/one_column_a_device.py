# verdict: RV
# rule: out-replicated
# Each device gives out one column of out, padded to eight.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    out = jax.lax.psum(h @ w2, "model") + b2
    padded = jnp.pad(out, ((0, 0), (0, 8 - out.shape[1])))
    return jax.lax.dynamic_slice_in_dim(padded, jax.lax.axis_index("model"), 1, axis=1), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(None, "model"), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out[:, : w2.shape[1]], "hidden": hidden}
