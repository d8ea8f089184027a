# verdict: AC
# Chunks are rolled so that the next one is always the first; a scan of fourteen steps.
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
        d = lax.axis_index("ring")
        c = row.reshape(8, -1)
        mine = c[(d - jnp.arange(8)) % 8]
        def step(acc, own):
            acc = lax.ppermute(acc, "ring", RIGHT) + own
            return acc, acc
        _, sums = lax.scan(step, mine[0], jnp.concatenate([mine[1:], jnp.zeros_like(mine[:7])]))
        order = (d + 1 - jnp.arange(8)) % 8
        return jnp.zeros_like(c).at[order].set(sums[6:]).reshape(row.shape)
    return run(body, x)
