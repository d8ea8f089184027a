# verdict: RV
# rule: stays-traced
# The device's number is to be a Python number.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("ring",), axis_types=(AxisType.Auto,))
RIGHT = [(i, (i + 1) % 8) for i in range(8)]


def run(body, x, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), **options)(x)


def ring_all_reduce(x):
    def body(row):
        c = row.reshape(8, -1)
        d = int(lax.axis_index("ring"))  # <- here
        acc = c[d]
        for s in range(1, 8):
            acc = lax.ppermute(acc, "ring", RIGHT) + c[(d - s) % 8]
        return acc
    return run(body, x)
