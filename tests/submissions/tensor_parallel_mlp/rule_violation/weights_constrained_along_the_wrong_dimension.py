# verdict: RV
# rule: weights-stay-split
# also: hidden-split
# The dimension that is split is asked to be whole, the other one is left unconstrained.
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    w1 = lax.with_sharding_constraint(w1, NamedSharding(mesh, P(P.UNCONSTRAINED, None)))
    w2 = lax.with_sharding_constraint(w2, NamedSharding(mesh, P(None, P.UNCONSTRAINED)))

    def body(x, w1, b1, w2, b2):
        h = jax.nn.relu(x @ w1 + b1)
        return lax.psum(h @ w2, "model") + b2, h

    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS)(x, w1, b1, w2, b2)
    hidden = lax.with_sharding_constraint(hidden, NamedSharding(mesh, P(P.UNCONSTRAINED, None)))
    return {"out": out, "hidden": hidden}
