# verdict: RV
# rule: mesh
# also: inputs-sharding, result-sharding
# Axes named "x" and "y".
import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def put(a, *axes):
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*axes)))


def sharded_matmul(x, w):
    return put(put(x, "x", None) @ put(w, None, "y"), "x", "y")
