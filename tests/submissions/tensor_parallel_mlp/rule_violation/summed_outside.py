# verdict: RV
# rule: psum
# also: out-replicated, b2-once
# The partial products are returned and summed outside the body.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2):
    h = jax.nn.relu(x @ w1 + b1)
    return (h @ w2)[None], h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    partials, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P("model"), P(None, "model")),
    )(x, w1, b1, w2)
    return {"out": partials.sum(axis=0) + b2, "hidden": hidden}
