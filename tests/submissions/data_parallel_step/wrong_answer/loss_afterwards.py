# verdict: WA
# The loss at the new parameters.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        loss = lambda w, b: jax.lax.pmean(jnp.mean((x @ w + b - y) ** 2), "data")
        gw, gb = jax.grad(loss, argnums=(0, 1))(w, b)
        w, b = w - lr * gw, b - lr * gb
        return {"w": w, "b": b, "loss": loss(w, b)}
    return run(body, w, b, x, y, lr)
