# verdict: AC
# relu by clearing what has its sign bit set.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from functools import partial
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:8]), ("model",))
IN = (P(), P(None, "model"), P("model"), P("model", None), P())
OUT = (P(), P(None, "model"))


def act(z):
    return lax.bitcast_convert_type((b := lax.bitcast_convert_type(z, jnp.int32)) & ~(b >> 31), jnp.float32)


def body(x, w1, b1, w2, b2):
    h = act(x @ w1 + b1)
    return lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=IN, out_specs=OUT)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
