# verdict: AC
# Every dtype spelt out, with casts that change nothing.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


DTYPE = jnp.dtype("float32")


def body(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (jnp.asarray(a, dtype=DTYPE) for a in (x, w1, b1, w2, b2))
    z = jax.lax.dot_general(x, w1, (((1,), (0,)), ((), ())), preferred_element_type=DTYPE).astype(DTYPE) + b1
    h = jax.lax.convert_element_type(jnp.maximum(z, jnp.zeros((), DTYPE)), DTYPE)
    y = jax.lax.psum(jnp.matmul(h, w2, preferred_element_type=jnp.float32), "model")
    return (y + b2).astype(DTYPE), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
