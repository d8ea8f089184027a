# verdict: AC
# The mesh is entered as a context around the shard_map, which names it as well.
import jax
import numpy as np
from jax.sharding import Mesh, PartitionSpec as P


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    with Mesh(np.array(jax.devices()), ("model",)) as mesh:
        (axis,) = mesh.axis_names

        def body(x, w1, b1, w2, b2):
            h = jax.nn.relu(x @ w1 + b1)
            return jax.lax.psum(h @ w2, axis) + b2, h

        f = jax.shard_map(
            body,
            mesh=mesh,
            in_specs=(P(), P(None, axis), P(axis), P(axis, None), P()),
            out_specs=(P(), P(None, axis)),
            axis_names={axis},
        )
        out, hidden = f(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
