# verdict: AC
# The body pads its block to a multiple of four units with zeros and cuts hidden back.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    width = w1.shape[1]
    extra = -width % 4
    w1 = jnp.pad(w1, ((0, 0), (0, extra)))
    b1 = jnp.pad(b1, (0, extra))
    w2 = jnp.pad(w2, ((0, extra), (0, 0)))
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h[:, :width]


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
