# verdict: RV
# rule: b2-once
# A sum over windows: b2 twice, and once taken away.
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    p = h @ w2
    s = lax.psum(p, "model")
    v = jnp.stack([s, jnp.broadcast_to(b2, s.shape), jnp.broadcast_to(b2, s.shape), -jnp.broadcast_to(b2, s.shape)], -1)
    out = lax.reduce_window(v, 0.0, lax.add, (1, 1, 4), (1, 1, 4), "VALID").reshape(s.shape)
    return out, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS, check_vma=False)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
