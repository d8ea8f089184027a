# verdict: AC
# A global mesh with Explicit axes; reshard by spec alone.
import jax
from jax.sharding import PartitionSpec as P, reshard

jax.set_mesh(jax.make_mesh((8,), ("model",), axis_types=(jax.sharding.AxisType.Explicit,)))


@jax.shard_map(out_specs=(P(), P(None, "model")))
def run(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    w1 = reshard(w1, P(None, "model"))
    b1 = reshard(b1, P("model"))
    w2 = reshard(w2, P("model", None))
    out, hidden = run(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
