# verdict: AC
# b2 is added to the replicated result in a shard_map of its own, over the same mesh.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model"), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    y, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2)
    out = jax.shard_map(lambda y, b: y + b, mesh=mesh, in_specs=(P(), P()), out_specs=P())(y, b2)
    return {"out": out, "hidden": hidden}
