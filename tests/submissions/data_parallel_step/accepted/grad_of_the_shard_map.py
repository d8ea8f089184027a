# verdict: AC
# The loss is a shard_map; it is differentiated from outside.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y):
        return jax.lax.pmean(jnp.mean((x @ w + b - y) ** 2), "data")
    loss_of = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D), out_specs=P())
    loss, (gw, gb) = jax.value_and_grad(lambda w, b: loss_of(w, b, x, y), argnums=(0, 1))(w, b)
    return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}
