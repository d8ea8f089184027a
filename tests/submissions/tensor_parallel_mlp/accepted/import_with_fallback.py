# verdict: AC
# shard_map imported the way that code for several JAX versions does it.
import inspect

import jax
import jax.numpy as jnp
import numpy as np

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map
from jax.sharding import Mesh, PartitionSpec as P

CHECK = "check_vma" if "check_vma" in inspect.signature(shard_map).parameters else "check_rep"


def to_varying(a, axis):
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(a, axis, to="varying")
    if hasattr(jax.lax, "pvary"):
        return jax.lax.pvary(a, axis)
    return a


def body(x, w1, b1, w2, b2):
    x = to_varying(x, "model")
    h = jnp.maximum(x @ w1 + b1, to_varying(jnp.zeros(()), "model"))
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = Mesh(np.array(jax.devices()), ("model",))
    fn = shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        **{CHECK: True},
    )
    out, hidden = fn(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
