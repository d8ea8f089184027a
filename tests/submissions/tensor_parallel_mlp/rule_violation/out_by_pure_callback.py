# verdict: RV
# rule: no-callbacks
# also: out-replicated, b2-once, psum
# The last addition is done by NumPy on the host.
import numpy as np
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model"), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2)
    out = jax.pure_callback(lambda y, b: np.asarray(y) + np.asarray(b), out, out, b2)  # <- here
    return {"out": out, "hidden": hidden}
