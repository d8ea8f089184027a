# verdict: RV
# rule: batch-blocks
# The rows are turned round before they are dealt out: the same sum, other blocks.
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
        l, (gw, gb) = jax.value_and_grad(loss, argnums=(0, 1))(w, b)
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": l}
    return run(body, w, b, x[::-1], y[::-1], lr)
