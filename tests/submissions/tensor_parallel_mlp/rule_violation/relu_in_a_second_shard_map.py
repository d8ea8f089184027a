# verdict: RV
# rule: hidden-split
# The relu of hidden runs in a shard_map of its own.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def body(x, w1, b1, w2, b2):
        z = x @ w1 + b1
        return lax.psum(jax.nn.relu(z) @ w2, "model") + b2, z

    out, z = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS)(x, w1, b1, w2, b2)
    hidden = jax.shard_map(jax.nn.relu, mesh=mesh, in_specs=P(None, "model"), out_specs=P(None, "model"))(z)
    return {"out": out, "hidden": hidden}
