# verdict: AC
# jnp.vectorize with a signature, written for vectors.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


from functools import partial


@partial(jnp.vectorize, signature="(d),(d,h),(h)->(h)")
def layer(row, w, b):
    return jax.nn.relu(jnp.einsum("d,dh->h", row, w) + b)


@partial(jnp.vectorize, signature="(h),(h,o)->(o)")
def head(h, w):
    return jnp.einsum("h,ho->o", h, w)


def body(x, w1, b1, w2, b2):
    h = layer(x, w1, b1)
    return jax.lax.psum(head(h, w2), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
