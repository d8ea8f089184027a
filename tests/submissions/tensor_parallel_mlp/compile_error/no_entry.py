# verdict: CE
# The file defines no entry function.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h
