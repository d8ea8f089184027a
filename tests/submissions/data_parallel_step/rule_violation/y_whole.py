# verdict: RV
# rule: batch-stays-split
# also: batch-blocks
# Every device gets all of y and takes its part.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        n = x.shape[0]
        y = jax.lax.dynamic_slice_in_dim(y, jax.lax.axis_index("data") * n, n)
        loss = lambda w, b: jax.lax.pmean(jnp.mean((x @ w + b - y) ** 2), "data")
        l, (gw, gb) = jax.value_and_grad(loss, argnums=(0, 1))(w, b)
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": l}
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, P(), P()), out_specs=P())(w, b, x, y, lr)
