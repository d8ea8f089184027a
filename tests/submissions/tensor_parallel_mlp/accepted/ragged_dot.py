# verdict: AC
# The products by lax.ragged_dot with a single group.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from functools import partial
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:8]), ("model",))
IN = (P(), P(None, "model"), P("model"), P("model", None), P())
OUT = (P(), P(None, "model"))


def mul(a, b):
    return lax.ragged_dot(a, b[None], jnp.array([a.shape[0]], jnp.int32))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(mul(x, w1) + b1)
    return lax.psum(mul(h, w2), "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=IN, out_specs=OUT, check_vma=False)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
