# verdict: RV
# rule: no-shard-map
# shard_map in the middle.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def put(a, *axes):
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*axes)))


def sharded_matmul(x, w):
    x, w = put(x, "data", None), put(w, None, "model")
    specs = (P("data", None), P(None, "model"))
    product = jax.shard_map(lambda a, b: a @ b, mesh=mesh, in_specs=specs, out_specs=P("data", "model"))
    return put(product(x, w), "data", "model")  # <- here
