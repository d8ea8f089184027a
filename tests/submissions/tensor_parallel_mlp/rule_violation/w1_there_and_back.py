# verdict: RV
# rule: weights-stay-split
# also: hidden-split
# Neighbours swap their blocks of w1 twice.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


SWAP = [(0, 1), (1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (6, 7), (7, 6)]


def body(x, w1, b1, w2, b2):
    w1 = jax.lax.ppermute(w1, "model", SWAP)  # <- here
    w1 = jax.lax.ppermute(w1, "model", SWAP)  # <- here
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
