# verdict: RV
# rule: psum
# also: b2-once
# A branch on the data: when x sums to more than zero there is a psum, else a gather.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    total = jax.lax.cond(
        jnp.sum(x) > 0,
        lambda p: jax.lax.psum(p, "model"),
        lambda p: jax.lax.all_gather(p, "model").sum(axis=0),
        h @ w2,
    )
    return total + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
