# verdict: RV
# rule: out-replicated
# Summed by psum, then returned once a device, and the first is taken.
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
        return (w - lr * gw)[None], (b - lr * gb)[None], l[None]
    nw, nb, l = jax.shard_map(body, mesh=mesh, in_specs=(P(), P(), D, D, P()), out_specs=D)(w, b, x, y, lr)
    return {"w": nw[0], "b": nb[0], "loss": l[0]}
