# verdict: RV
# rule: chunks
# Whole rows go round, twice.
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
        total, moving = row, row
        for _ in range(7):
            moving = lax.ppermute(moving, "ring", RIGHT)  # <- here
            total = total + moving
        for _ in range(7):
            total = 0 * lax.ppermute(total, "ring", RIGHT) + total  # <- here
        return total
    return run(body, x)
