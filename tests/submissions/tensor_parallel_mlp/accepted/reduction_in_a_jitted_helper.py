# verdict: AC
# The psum lives in a jitted helper that takes the axis name.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


from functools import partial


@partial(jax.jit, static_argnames="axis")
def reduce_from_model_parallel(y, *, axis):
    return jax.tree.map(lambda leaf: jax.lax.psum(leaf, axis), y)


def body(x, w1, b1, w2, b2):
    h = jax.jit(jax.nn.relu)(x @ w1 + b1)
    return reduce_from_model_parallel(h @ w2, axis="model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
