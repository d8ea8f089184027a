# verdict: CE
# All arrays are expected in one dict.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(params):
    return {"out": params["x"], "hidden": params["x"]}
