# verdict: RV
# rule: mesh
# b2 passes through a shard_map over a mesh named "data" before it is added.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
other = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))


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
    b2 = jax.shard_map(lambda b: b, mesh=other, in_specs=P(), out_specs=P())(b2)  # <- here
    return {"out": y + b2, "hidden": hidden}
