# verdict: RV
# rule: mesh
# also: batch-blocks, batch-stays-split, psum, out-replicated
# Everything on whole arrays.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    r = x @ w + b - y
    return {"w": w - lr * 2 * (r @ x) / r.size, "b": b - lr * 2 * r.mean(), "loss": (r * r).mean()}
