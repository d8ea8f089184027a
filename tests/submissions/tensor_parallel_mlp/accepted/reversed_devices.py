# verdict: AC
# The mesh lists the devices backwards; along the mesh the blocks are in order all the same.
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[::-1]), axis_names=("model",))


@jax.jit
def tensor_parallel_mlp(x, w1, b1, w2, b2):
    @jax.shard_map(
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model"), P()),
        out_specs={"out": P(), "hidden": P(None, "model")},
    )
    def run(x, w1, b1, w2, b2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return {"out": jax.lax.psum(hidden @ w2, "model") + b2, "hidden": hidden}

    return run(x, w1, b1, w2, b2)
