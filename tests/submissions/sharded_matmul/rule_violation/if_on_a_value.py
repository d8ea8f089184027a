# verdict: RV
# rule: stays-traced
# A Python if.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def put(a, *axes):
    return jax.lax.with_sharding_constraint(a, NamedSharding(mesh, P(*axes)))


def sharded_matmul(x, w):
    if (w == 0).all():  # <- here
        return put(jnp.zeros((x.shape[0], w.shape[1])), "data", "model")
    return put(put(x, "data", None) @ put(w, None, "model"), "data", "model")
