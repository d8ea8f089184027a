# verdict: AC
# The two products as convolutions with a window of one.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def linear(x, w):
    # NWC, WIO: a "signal" of length one with as many channels as features.
    y = jax.lax.conv_general_dilated(x[:, None, :], w[None], (1,), "VALID", dimension_numbers=("NWC", "WIO", "NWC"))
    return y[:, 0, :]


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(linear(x, w1) + b1)
    return jax.lax.psum(linear(h, w2), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
