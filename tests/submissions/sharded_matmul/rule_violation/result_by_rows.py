# verdict: RV
# rule: result-sharding
# The result over "data" only.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def put(a, *axes):
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*axes)))


def sharded_matmul(x, w):
    x, w = put(x, "data", None), put(w, None, "model")
    return put(x @ w, "data", None)
