# verdict: AC
# hidden is filled row by row into a buffer with .at[].set.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    hidden = jax.lax.pcast(jnp.empty((x.shape[0], w1.shape[1]), jnp.float32), ("model",), to="varying")
    for row in range(x.shape[0]):
        hidden = hidden.at[row].set(jax.nn.relu(x[row] @ w1 + b1))
    return jax.lax.psum(hidden @ w2, "model") + b2, hidden


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
