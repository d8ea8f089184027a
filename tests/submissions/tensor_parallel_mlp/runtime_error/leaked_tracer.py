# verdict: RE or RV
# A tracer of a jitted helper is kept in a list and used outside of it.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


kept = []


@jax.jit
def remember(a):
    kept.append(a)
    return a


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(remember(x) @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2 + 0 * kept[-1][0, 0], h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
