# verdict: RV
# rule: psum
# A gather dressed as a psum: the partials are put into eight slots, and the slots are added locally.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    slots = jax.nn.one_hot(jax.lax.axis_index("model"), 8)[:, None, None] * (h @ w2)
    return jax.lax.psum(slots, "model").sum(axis=0) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
