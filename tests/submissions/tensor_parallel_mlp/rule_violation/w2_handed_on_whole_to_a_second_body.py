# verdict: RV
# rule: psum
# also: weights-stay-split
# The first body hands w2 on; the second gets the whole of it and cuts its rows out again.
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
        return h, w2

    def second(h, w2, b2):
        d = lax.axis_index("model")
        n = h.shape[1]
        return lax.psum(h @ lax.dynamic_slice_in_dim(w2, d * n, n, 0), "model") + b2

    hidden, w2o = jax.shard_map(first, mesh=mesh, in_specs=INS[:4], out_specs=(P(None, "model"), P("model", None)))(
        x, w1, b1, w2
    )
    out = jax.shard_map(second, mesh=mesh, in_specs=(P(None, "model"), P(), P()), out_specs=P())(hidden, w2o, b2)
    return {"out": out, "hidden": hidden}
