# verdict: AC
# relu with a custom JVP, the reduction with a custom VJP, as in Megatron's f and g operators.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


@jax.custom_jvp
def rectify(z):
    return jnp.where(z < 0, jnp.zeros_like(z), z)


@rectify.defjvp
def _(primals, tangents):
    (z,), (dz,) = primals, tangents
    return rectify(z), jnp.where(z < 0, 0.0, dz)


@jax.custom_vjp
def all_reduce(y):
    return jax.lax.psum(y, "model")


all_reduce.defvjp(lambda y: (all_reduce(y), None), lambda _, g: (g,))


def body(x, w1, b1, w2, b2):
    h = rectify(x @ w1 + b1)
    return all_reduce(h @ w2) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
