# verdict: RV
# rule: weights-stay-split
# Explicit axes: w1 is resharded to replicated first, then to its blocks.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Explicit,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    return jax.lax.psum(h @ w2, "model") + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    reshard, on = jax.sharding.reshard, lambda *spec: jax.sharding.NamedSharding(mesh, P(*spec))
    w1 = reshard(w1, on(None, None))  # <- here
    w1, b1, w2 = reshard(w1, on(None, "model")), reshard(b1, on("model")), reshard(w2, on("model", None))
    x, b2 = reshard(x, on(None, None)), reshard(b2, on(None))
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
