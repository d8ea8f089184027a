# verdict: RV
# rule: out-replicated
# also: b2-once
# A cond on the device's number adds b2 on device 0 only, and the check does not see it.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    y = jax.lax.psum(h @ w2, "model")
    out = jax.lax.cond(jax.lax.axis_index("model") == 0, lambda y: y + b2, lambda y: y + 0 * b2, y)
    return out, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
