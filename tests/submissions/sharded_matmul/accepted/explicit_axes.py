# verdict: AC
# Explicit axes: the types of x and w say how they are laid out, and that of the product follows.
import jax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Explicit,) * 2)


def sharded_matmul(x, w):
    x = jax.sharding.reshard(x, jax.sharding.NamedSharding(mesh, P("data", None)))
    w = jax.sharding.reshard(w, jax.sharding.NamedSharding(mesh, P(None, "model")))
    return x @ w
