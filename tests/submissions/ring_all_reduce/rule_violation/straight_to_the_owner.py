# verdict: RV
# rule: ring
# In step s every device sends to the s-th after it: no ring.
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
        d = lax.axis_index("ring")
        mine = c[d]
        for s in range(1, 8):
            mine = mine + lax.ppermute(c[(d + s) % 8], "ring", [(i, (i + s) % 8) for i in range(8)])  # <- here
        out = c.at[d].set(mine)
        for s in range(1, 8):
            got = lax.ppermute(mine, "ring", [(i, (i + s) % 8) for i in range(8)])  # <- here
            out = out.at[(d - s) % 8].set(got)
        return out.reshape(row.shape)
    return run(body, x)
