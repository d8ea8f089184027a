# verdict: AC
# b2, the same on every device, goes through a pmean before it is added to the sum.
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from functools import partial
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:8]), ("model",))
IN = (P(), P(None, "model"), P("model"), P("model", None), P())
OUT = (P(), P(None, "model"))


def plus(total, b2):
    return total + lax.pmean(b2, 'model')


def body(x, w1, b1, w2, b2):
    h = jnp.maximum(x @ w1 + b1, 0)
    return plus(lax.psum(h @ w2, "model"), b2), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=IN, out_specs=OUT, check_vma=False)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
