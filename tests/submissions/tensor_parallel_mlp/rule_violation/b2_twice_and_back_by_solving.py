# verdict: RV
# rule: b2-once
# A triangular system whose solution is a running sum: b2 twice, and once taken away.
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
    b = jnp.broadcast_to(b2, s.shape)
    v = jnp.stack([s, b, b, -b], 0).reshape(4, -1)
    L = jnp.eye(4) - jnp.eye(4, k=-1)
    y = lax.linalg.triangular_solve(L, v, left_side=True, lower=True)
    return y[3].reshape(s.shape), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS, check_vma=False)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
