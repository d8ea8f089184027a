# verdict: CE
# Tabs and blanks are mixed so that no one can say what is meant.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    if x.ndim == 2:
        h = x
	return h  # <- here
