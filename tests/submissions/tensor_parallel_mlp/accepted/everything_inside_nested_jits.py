# verdict: AC
# jit around jit around shard_map around jit, keyword arguments all the way.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


@jax.jit
def up(*, x, w, b):
    return jax.jit(jax.nn.relu)(jnp.matmul(a=x, b=w) + b)


@jax.jit
def down(*, h, w, b):
    return jax.jit(lambda y: jax.lax.psum(x=y, axis_name="model"))(jnp.matmul(h, w)) + b


@jax.jit
def sharded(x, w1, b1, w2, b2):
    @jax.jit
    def body(x, w1, b1, w2, b2):
        h = up(x=x, w=w1, b=b1)
        return {"hidden": h, "out": down(h=h, w=w2, b=b2)}

    return jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs={"hidden": P(None, "model"), "out": P()},
    )(x, w1, b1, w2, b2)


@jax.jit
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return jax.jit(sharded)(x, w1, b1, w2, b2)
