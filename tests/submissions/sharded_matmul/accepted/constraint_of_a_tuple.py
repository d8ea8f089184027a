# verdict: AC
# One constraint for both inputs.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def put(a, *axes):
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*axes)))


def sharded_matmul(x, w):
    specs = (NamedSharding(mesh, P("data", None)), NamedSharding(mesh, P(None, "model")))
    x, w = jax.lax.with_sharding_constraint((x, w), specs)
    out = jax.vmap(lambda row: row @ w)(x)
    return put(out, "data", "model")
