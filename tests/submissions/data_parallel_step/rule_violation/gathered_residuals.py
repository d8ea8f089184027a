# verdict: RV
# rule: psum
# The residuals and rows' products are gathered, and averaged everywhere.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        r = x @ w + b - y
        loss = jax.lax.all_gather(jnp.mean(r * r), "data").mean()
        gw = jax.lax.all_gather(2 * x.T @ r / r.size, "data").mean(0)
        gb = jax.lax.all_gather(2 * r.mean(), "data").mean()
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}
    return run(body, w, b, x, y, lr, check_vma=False)
