# verdict: RV
# rule: weights-stay-split
# also: b2-once, psum
# The largest weight over all devices by pmax; it is added and taken away.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    largest = jax.lax.pmax(jnp.max(jnp.abs(w2)), "model")  # <- here
    return jax.lax.psum(h @ w2, "model") + b2 + (largest - largest), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
