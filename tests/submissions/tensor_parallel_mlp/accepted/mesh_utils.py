# verdict: AC
# The mesh by jax.experimental.mesh_utils, cached by lru_cache.
from functools import lru_cache

import jax
from jax.experimental import mesh_utils
from jax.sharding import Mesh, PartitionSpec as P


@lru_cache(maxsize=None)
def get_mesh(n):
    return Mesh(mesh_utils.create_device_mesh((n,)), ("model",))


def local_forward(x, w1, b1, w2, b2):
    hidden = jax.nn.relu(x @ w1 + b1)
    return {"out": jax.lax.psum(hidden @ w2, "model") + b2, "hidden": hidden}


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return jax.shard_map(
        local_forward,
        mesh=get_mesh(8),
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs={"out": P(), "hidden": P(None, "model")},
    )(x, w1, b1, w2, b2)
