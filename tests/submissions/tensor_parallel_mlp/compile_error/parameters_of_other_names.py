# verdict: CE
# The parameters have other names.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(inputs, weights1, bias1, weights2, bias2):
    return {"out": inputs, "hidden": inputs}
