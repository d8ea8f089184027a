# verdict: AC
# vmap over rows of x and columns of w1, then over rows of h and columns of w2.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


dots = jax.vmap(jax.vmap(jnp.dot, in_axes=(None, 1)), in_axes=(0, None))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(dots(x, w1) + b1)
    return jax.lax.psum(dots(h, w2), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
