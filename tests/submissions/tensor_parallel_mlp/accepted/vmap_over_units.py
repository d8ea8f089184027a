# verdict: AC
# vmap over the device's hidden units: each gives its activation and its contribution.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def unit(x, column, bias, row):
    a = jnp.where(x @ column + bias > 0, x @ column + bias, 0)
    return a, a[:, None] * row


def body(x, w1, b1, w2, b2):
    h, contributions = jax.vmap(unit, in_axes=(None, 1, 0, 0), out_axes=(1, 0))(x, w1, b1, w2)
    return jax.lax.psum(contributions.sum(0), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
