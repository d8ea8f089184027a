# verdict: RV
# rule: batch-stays-split
# The gradients are right; something of y is looked at outside besides.
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
    out = run(body, w, b, x, y, lr)
    return {**out, "loss": out["loss"] + 0 * jnp.sum(y)}
