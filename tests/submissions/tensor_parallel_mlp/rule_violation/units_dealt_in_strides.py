# verdict: RV
# rule: weight-blocks
# also: weights-stay-split, hidden-split
# Device d gets the units d, d + 8, …: the right numbers, the wrong blocks.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    dealt = jnp.arange(w1.shape[1]).reshape(-1, 8).T.ravel()
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1[:, dealt], b1[dealt], w2[dealt], b2)
    return {"out": out, "hidden": hidden[:, jnp.argsort(dealt)]}
