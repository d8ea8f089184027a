# verdict: CE
# await in a function that is not async.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return await body(x)  # <- here
