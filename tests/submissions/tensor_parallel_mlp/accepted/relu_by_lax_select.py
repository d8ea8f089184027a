# verdict: AC
# relu by comparison and lax.select, on a product by lax.dot.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


from jax import lax


def body(x, w1, b1, w2, b2):
    z = lax.dot(x, w1) + lax.expand_dims(b1, (0,))
    h = lax.select(lax.gt(z, lax.full_like(z, 0)), z, lax.full_like(z, 0))
    return lax.add(lax.psum(lax.dot(h, w2), "model"), lax.broadcast_in_dim(b2, (x.shape[0], b2.shape[0]), (1,))), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
