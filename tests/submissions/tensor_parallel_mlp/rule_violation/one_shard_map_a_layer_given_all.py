# verdict: RV
# rule: weights-stay-split
# also: psum
# One shard_map a layer; the first is given w2 as well, and has no use for it.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def first(x, w1, b1, w2, b2):
        return jax.nn.relu(x @ w1 + b1)

    def second(h, w2, b2):
        return lax.psum(h @ w2, "model") + b2

    hidden = jax.shard_map(first, mesh=mesh, in_specs=INS, out_specs=P(None, "model"))(x, w1, b1, w2, b2)
    out = jax.shard_map(second, mesh=mesh, in_specs=(P(None, "model"), P("model", None), P()), out_specs=P())(
        hidden, w2, b2
    )
    return {"out": out, "hidden": hidden}
