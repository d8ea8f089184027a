# verdict: RV
# rule: psum
# also: out-replicated
# Each device returns its own means; they are averaged outside.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
D = P("data")


def run(body, w, b, x, y, lr, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=P(), **options)(w, b, x, y, lr)


def data_parallel_step(w, b, x, y, lr):
    def body(w, b, x, y):
        r = x @ w + b - y
        return (2 * x.T @ r / r.size)[None], (2 * r.mean())[None], (r * r).mean()[None]
    gw, gb, loss = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D), out_specs=D)(w, b, x, y)
    return {"w": w - lr * gw.mean(0), "b": b - lr * gb.mean(), "loss": loss.mean()}
