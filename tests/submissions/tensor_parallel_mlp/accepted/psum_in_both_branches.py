# verdict: AC
# A cond on the data decides by which of two equal formulas a psum adds up the same parts.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from functools import partial
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:8]), ("model",))
IN = (P(), P(None, "model"), P("model"), P("model", None), P())
OUT = (P(), P(None, "model"))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    out = jax.lax.cond(x[0, 0] > 0, lambda p: jax.lax.psum(p, "model"), lambda p: jax.lax.psum(p + 0, "model"), h @ w2)
    return out + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=IN, out_specs=OUT)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
