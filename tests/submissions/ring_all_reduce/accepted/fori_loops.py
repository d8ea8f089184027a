# verdict: AC
# Two loops of seven trips.
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
        chunks = row.reshape(8, -1)
        d = lax.axis_index("ring")
        def scatter(s, c):
            got = lax.ppermute(c[(d - s) % 8], "ring", RIGHT)
            return c.at[(d - s - 1) % 8].add(got)
        def gather(s, c):
            got = lax.ppermute(c[(d + 1 - s) % 8], "ring", RIGHT)
            return c.at[(d - s) % 8].set(got)
        chunks = lax.fori_loop(0, 7, scatter, chunks)
        return lax.fori_loop(0, 7, gather, chunks).reshape(row.shape)
    return run(body, x)
