# verdict: AC
# Gradients on paper, averaged by pmean.
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
        mean = lambda a: jax.lax.pmean(a, "data")
        loss, gw, gb = mean(jnp.mean(r * r)), mean(2 * x.T @ r / r.size), mean(2 * r.mean())
        return {"w": w - lr * gw, "b": b - lr * gb, "loss": loss}
    return run(body, w, b, x, y, lr)
