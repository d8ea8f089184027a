# verdict: AC
# axis_index picks which equal formula a device uses, and is otherwise idle.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    me = jax.lax.axis_index("model")
    z = x @ w1 + b1
    # A staggered start, as if it helped: odd and even devices spell relu differently.
    h = jnp.where(me % 2 == 0, jnp.maximum(z, 0), jnp.where(z > 0, z, 0))
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
