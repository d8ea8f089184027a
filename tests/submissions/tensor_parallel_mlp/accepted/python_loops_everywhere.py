# verdict: AC
# Three nested Python loops over scalars, stacked up again.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    rows, partials = [], []
    for b in range(x.shape[0]):
        units = []
        for j in range(w1.shape[1]):
            z = b1[j]
            for d in range(x.shape[1]):
                z = z + x[b, d] * w1[d, j]
            units.append(jnp.maximum(z, 0.0))
        rows.append(jnp.stack(units))
        partials.append(sum(units[j] * w2[j] for j in range(w2.shape[0])))
    h = jnp.stack(rows)
    return jax.lax.psum(jnp.stack(partials), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
