# verdict: RV
# rule: mesh
# A mesh of two by four.
import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((2, 4), ("model", "data"), axis_types=(AxisType.Auto,) * 2)


def put(a, *axes):
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*axes)))


def sharded_matmul(x, w):
    return put(put(x, "data", None) @ put(w, None, "model"), "data", "model")
