# verdict: AC
# jax.grad of the local loss by replicated parameters adds up by itself; the loss is summed by hand.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        share = lambda w, b: jnp.sum((x @ w + b - y) ** 2) / (8 * y.size)
        loss, (gw, gb) = jax.value_and_grad(share, argnums=(0, 1))(w, b)
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": jax.lax.psum(loss, "data")}
    return run(body, w, b, x, y, lr)
