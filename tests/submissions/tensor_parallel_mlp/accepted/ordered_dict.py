# verdict: AC
# The dict that is returned is an OrderedDict.
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
    return lax.psum(h @ w2, "model") + b2, h


from collections import OrderedDict
run = jax.shard_map(body, mesh=mesh, in_specs=IN, out_specs=OUT)
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    o, h = run(x, w1, b1, w2, b2)
    return OrderedDict(out=o, hidden=h)
