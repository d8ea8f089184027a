# verdict: RV
# rule: psum
# also: weights-stay-split
# Nearly one-hot psums gather hidden and w2, and every device multiplies all of both.
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def body(x, w1, b1, w2, b2):
    d = lax.axis_index("model")
    h = jax.nn.relu(x @ w1 + b1)
    p = h @ w2
    z = w2[None] * jnp.where((jnp.arange(8) == d)[:, None, None], 1.0, 2.0**-40) + (
        h.sum() * 0.0 if False else (h.sum() - h.sum())
    )
    hh = h[None] * jnp.where((jnp.arange(8) == d)[:, None, None], 1.0, 2.0**-40) + (w2.sum() - w2.sum())
    W = lax.psum(z, "model")
    H = lax.psum(hh, "model")
    return jnp.einsum("dbu,duo->bo", H, W) + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS, check_vma=False)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
