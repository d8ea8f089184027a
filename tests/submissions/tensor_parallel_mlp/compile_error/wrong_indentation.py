# verdict: CE
# A line is indented by one blank too few.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
   return h  # <- here
