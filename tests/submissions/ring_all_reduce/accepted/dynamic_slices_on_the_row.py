# verdict: AC
# The row is never reshaped; chunks are sliced out of it.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("ring",), axis_types=(AxisType.Auto,))
RIGHT = [(i, (i + 1) % 8) for i in range(8)]


def run(body, x, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), **options)(x)


def ring_all_reduce(x):
    size = x.shape[1] // 8
    def body(row):
        d = lax.axis_index("ring")
        take = lambda r, k: lax.dynamic_slice(r, (0, (k % 8) * size), (1, size))
        put = lambda r, c, k: lax.dynamic_update_slice(r, c, (0, (k % 8) * size))
        for s in range(7):
            got = lax.ppermute(take(row, d - s + 8), "ring", RIGHT)
            row = put(row, got + take(row, d - s + 7), d - s + 7)
        for s in range(7):
            got = lax.ppermute(take(row, d + 1 - s + 8), "ring", RIGHT)
            row = put(row, got, d - s + 8)
        return row
    return run(body, x)
