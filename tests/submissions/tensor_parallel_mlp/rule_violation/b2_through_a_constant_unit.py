# verdict: RV
# rule: b2-once
# A ninth share: every device's block gets a unit that is always one, on device 0 with b2 as its row.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    row = jnp.where(jax.lax.axis_index("model") == 0, b2, 0.0)
    partial = jnp.einsum("bh,ho->bo", jnp.pad(h, ((0, 0), (0, 1)), constant_values=1.0), jnp.vstack([w2, row]))
    return jax.lax.psum(partial, "model"), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
