# verdict: CE
# The entry's name stands for a number.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

tensor_parallel_mlp = 8
