# verdict: RV
# rule: psum
# also: b2-once
# A psum of activation counts is on the way to out; the partials are gathered.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    count = jax.lax.psum(jnp.sum(h > 0), "model")
    total = jax.lax.all_gather(h @ w2, "model").sum(axis=0)
    return total * (count / jnp.where(count == 0, 1, count)) + jnp.where(count == 0, total, 0) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
