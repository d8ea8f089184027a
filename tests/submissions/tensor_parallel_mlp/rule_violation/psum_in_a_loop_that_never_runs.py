# verdict: RV
# rule: psum
# also: b2-once
# The psum is in a while loop whose condition is false from the start.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    partial = h @ w2
    total = jax.lax.all_gather(partial, "model").sum(axis=0)
    _, total = jax.lax.while_loop(
        lambda state: state[0] < 0,
        lambda state: (state[0] + 1, jax.lax.psum(partial, "model")),
        (jnp.int32(x.shape[0]), total),
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
