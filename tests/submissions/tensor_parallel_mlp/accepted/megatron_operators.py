# verdict: AC
# Megatron's f and g: custom_vjp operators, the identity forward on one side, the all-reduce on the other.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


from functools import partial


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def copy_to_model_parallel(x, axis):
    return x


copy_to_model_parallel.defvjp(lambda x, axis: (x, None), lambda axis, _, g: (jax.lax.psum(g, axis),))


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def reduce_from_model_parallel(y, axis):
    return jax.lax.psum(y, axis)


reduce_from_model_parallel.defvjp(lambda y, axis: (jax.lax.psum(y, axis), None), lambda axis, _, g: (g,))


def body(x, w1, b1, w2, b2):
    x = copy_to_model_parallel(x, "model")
    h = jax.nn.relu(x @ w1 + b1)
    return reduce_from_model_parallel(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
