# verdict: RV
# rule: psum
# The partial products leave the body; a psum in a second shard_map adds them up.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def first(x, w1, b1, w2):
        h = jax.nn.relu(x @ w1 + b1)
        return (h @ w2)[None], h

    def second(p, b2):
        return lax.psum(p[0], "model") + b2

    parts, hidden = jax.shard_map(first, mesh=mesh, in_specs=INS[:4], out_specs=(P("model"), P(None, "model")))(
        x, w1, b1, w2
    )
    out = jax.shard_map(second, mesh=mesh, in_specs=(P("model"), P()), out_specs=P())(parts, b2)
    return {"out": out, "hidden": hidden}
