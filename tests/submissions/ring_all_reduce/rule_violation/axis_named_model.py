# verdict: RV
# rule: mesh
# The axis has another name.
import jax
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
RIGHT = [(i, (i + 1) % 8) for i in range(8)]


def ring_all_reduce(x):
    def body(row):
        c = row.reshape(8, -1)
        d = lax.axis_index("model")
        acc = c[d]
        for s in range(1, 8):
            acc = lax.ppermute(acc, "model", RIGHT) + c[(d - s) % 8]
        out = c.at[(d + 1) % 8].set(acc)
        for s in range(7):
            acc = lax.ppermute(acc, "model", RIGHT)
            out = out.at[(d - s) % 8].set(acc)
        return out.reshape(row.shape)
    return jax.shard_map(body, mesh=mesh, in_specs=P("model"), out_specs=P("model"))(x)  # <- here
