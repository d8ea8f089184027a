# verdict: AC
# The whole function is pushed through jax.jvp; only the primal is returned.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def run(*args):
    return jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(*args)


def body(x, w1, b1, w2, b2):
    h = jnp.maximum(x @ w1 + b1, 0)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    args = (x, w1, b1, w2, b2)
    (out, hidden), _ = jax.jvp(run, args, tuple(jnp.ones_like(a) for a in args))
    return {"out": out, "hidden": hidden}
