# verdict: AC
# relu of one number by lax.cond, mapped over rows and columns by vmap.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def rectify(z):
    return jax.lax.cond(z > 0, lambda z: z, lambda z: jnp.zeros_like(z), z)


def body(x, w1, b1, w2, b2):
    h = jax.vmap(jax.vmap(rectify))(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
