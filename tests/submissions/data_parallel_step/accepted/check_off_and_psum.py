# verdict: AC
# Without the check jax.grad gives each device's own gradient; psum adds them up.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y, lr):
        share = lambda p: jnp.sum((x @ p[0] + p[1] - y) ** 2) / (8 * y.size)
        loss, (gw, gb) = jax.lax.psum(jax.value_and_grad(share)((w, b)), "data")
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}
    return run(body, w, b, x, y, lr, check_vma=False)
