# verdict: AC
# Products by lax.dot_general with the highest precision and an explicit result type; relu by a product.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

CONTRACT = (((1,), (0,)), ((), ()))


def mm(a, b):
    return lax.dot_general(
        a, b, CONTRACT, precision=lax.Precision.HIGHEST, preferred_element_type=jnp.float32
    )


def shard(x, w1, b1, w2, b2):
    h = lax.add(mm(x, w1), lax.broadcast_in_dim(b1, (x.shape[0], b1.shape[0]), (1,)))
    h = h * (h > 0)
    y = lax.psum(mm(h, w2), ("model",))
    return y + lax.broadcast(b2, (x.shape[0],)), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
    f = jax.shard_map(
        shard,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )
    y, h = f(x, w1, b1, w2, b2)
    return {"out": y, "hidden": h}
