# verdict: RV
# rule: psum
# also: b2-once
# The psum is added and taken away; the gathered sum is what counts.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    total = jax.lax.all_gather(h @ w2, "model").sum(axis=0)
    decoy = jax.lax.psum(h @ w2, "model")
    return total + (decoy - decoy) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
