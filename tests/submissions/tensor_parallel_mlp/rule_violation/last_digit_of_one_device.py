# verdict: RV
# rule: out-replicated
# also: b2-once
# Device 3 has the next larger float32: right within rounding, but not the same everywhere.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    out = jax.lax.psum(h @ w2, "model") + b2
    return jnp.where(jax.lax.axis_index("model") == 3, jnp.nextafter(out, jnp.inf), out), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
