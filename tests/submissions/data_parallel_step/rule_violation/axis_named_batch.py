# verdict: RV
# rule: mesh
# The axis has another name.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("batch",), axis_types=(AxisType.Auto,))


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        loss = lambda w, b: jax.lax.pmean(jnp.mean((x @ w + b - y) ** 2), "batch")
        l, (gw, gb) = jax.value_and_grad(loss, argnums=(0, 1))(w, b)
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": l}
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("batch"), P("batch"), P()), out_specs=P())(w, b, x, y, lr)  # <- here
