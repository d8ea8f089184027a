# verdict: RV
# rule: mesh
# also: weight-blocks, hidden-split
# Two by four devices: the model axis has only four, the other is idle.
import jax
import numpy as np
from jax.sharding import AxisType, Mesh, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("data", "model"))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(  # <- here
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
