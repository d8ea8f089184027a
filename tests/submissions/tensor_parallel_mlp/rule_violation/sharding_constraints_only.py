# verdict: RV
# rule: mesh
# also: weight-blocks, weights-stay-split, psum, out-replicated, hidden-split, b2-once
# Left to the compiler: constraints on the arrays, no shard_map.
import jax
from jax.lax import with_sharding_constraint
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    w1 = with_sharding_constraint(w1, NamedSharding(mesh, P(None, "model")))
    b1 = with_sharding_constraint(b1, NamedSharding(mesh, P("model")))
    w2 = with_sharding_constraint(w2, NamedSharding(mesh, P("model", None)))
    hidden = with_sharding_constraint(jax.nn.relu(x @ w1 + b1), NamedSharding(mesh, P(None, "model")))
    out = with_sharding_constraint(hidden @ w2 + b2, NamedSharding(mesh, P()))
    return {"out": out, "hidden": hidden}
