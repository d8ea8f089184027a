# verdict: AC
# The entry is a functools.partial whose first argument, the mesh, is bound.
from functools import partial

import jax
from jax.sharding import AxisType, PartitionSpec as P


def forward(mesh, x, w1, b1, w2, b2):
    shard = partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(P(None, "model"), P("model"), P("model")),
        out_specs=(P(), P(None, "model")),
    )

    @shard
    def inner(w1, b1, w2):
        h = jax.nn.relu(x @ w1 + b1)
        return jax.lax.psum(h @ w2, "model") + b2, h

    return dict(zip(("out", "hidden"), inner(w1, b1, w2)))


tensor_parallel_mlp = partial(forward, jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,)))
