# verdict: AC
# In the body a scan over the device's hidden units adds each unit's share; one psum after the scan.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    def unit(acc, params):
        column, bias, row = params
        activation = jnp.maximum(x @ column + bias, 0.0)
        return acc + activation[:, None] * row[None, :], activation

    start = lax.pcast(jnp.zeros((x.shape[0], w2.shape[1]), x.dtype), "model", to="varying")
    partial, by_unit = lax.scan(unit, start, (w1.T, b1, w2))
    return lax.psum(partial, "model") + b2, by_unit.T


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
