# verdict: AC
# The body returns loss and gradients; the step is taken outside.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y):
        r = jnp.dot(x, w) + b - y
        gw = jnp.einsum("b,bd->d", r, x)
        return jax.lax.psum((gw, r.sum(), (r ** 2).sum()), "data")
    gw, gb, total = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data", None), D), out_specs=(P(), P(), P()))(w, b, x, y)
    n = x.shape[0]
    return {"w": w - lr * 2 * gw / n, "b": b - lr * 2 * gb / n, "loss": total / n}
