# verdict: AC
# The shardings are arguments of an inner jit.
import functools
import jax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
lay = functools.partial(NamedSharding, mesh)


@functools.partial(
    jax.jit,
    in_shardings=(lay(P("data", None)), lay(P(None, "model"))),
    out_shardings=lay(P("data", "model")),
)
def sharded_matmul(x, w):
    return x @ w
