# verdict: RE
# An exception whose text raises an exception.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


class Silent(Exception):
    def __str__(self):
        raise RuntimeError("no text either")

    __repr__ = __str__


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    raise Silent  # <- here
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
