# verdict: AC
# Another ring: every device passes on to the third after it.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("ring",), axis_types=(AxisType.Auto,))
RIGHT = [(i, (i + 1) % 8) for i in range(8)]


def run(body, x, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), **options)(x)


def ring_all_reduce(x):
    third = [(i, (i + 3) % 8) for i in range(8)]
    def body(row):
        d = lax.axis_index("ring") * 3 % 8  # the place in that ring: 3 * 3 is 1, modulo 8
        c = row.reshape(8, -1)
        acc = c[d]
        for s in range(1, 8):
            acc = lax.ppermute(acc, "ring", third) + c[(d - s) % 8]
        out = c.at[(d + 1) % 8].set(acc)
        for s in range(7):
            acc = lax.ppermute(acc, "ring", third)
            out = out.at[(d - s) % 8].set(acc)
        return out.reshape(row.shape)
    return run(body, x)
