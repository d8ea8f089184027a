# verdict: RV
# rule: no-callbacks
# The new b comes from the host.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        loss = lambda w, b: jax.lax.pmean(jnp.mean((x @ w + b - y) ** 2), "data")
        l, (gw, gb) = jax.value_and_grad(loss, argnums=(0, 1))(w, b)
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": l}
    out = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), P("data"), P("data"), P()), out_specs=P())(w, b, x, y, lr)
    same = jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((), jnp.float32), lr)  # <- here
    return {**out, "b": out["b"] + 0 * same}
