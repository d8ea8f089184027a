# verdict: RV
# rule: no-callbacks
# The zero that relu compares with is fetched from the host.
import numpy as np
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2, zero):
    h = jnp.maximum(x @ w1 + b1, zero)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    zero = jax.pure_callback(lambda: np.float32(0), jax.ShapeDtypeStruct((), jnp.float32))  # <- here
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P(), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2, zero)
    return {"out": out, "hidden": hidden}
