# verdict: AC
# The ring the other way round.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("ring",), axis_types=(AxisType.Auto,))
RIGHT = [(i, (i + 1) % 8) for i in range(8)]


def run(body, x, **options):
    return jax.shard_map(body, mesh=mesh, in_specs=P("ring"), out_specs=P("ring"), **options)(x)


def ring_all_reduce(x):
    left = [(i, (i - 1) % 8) for i in range(8)]
    def body(row):
        c = row[0].reshape(8, -1)
        d = lax.axis_index("ring")
        acc = c[d]
        for s in range(1, 8):
            acc = lax.ppermute(acc, "ring", left) + c[(d + s) % 8]
        out = jnp.zeros_like(c).at[(d - 1) % 8].set(acc)
        for s in range(7):
            acc = lax.ppermute(acc, "ring", left)
            out = out.at[(d + s) % 8].set(acc)
        return out.reshape(1, -1)
    return run(body, x, check_vma=False)
