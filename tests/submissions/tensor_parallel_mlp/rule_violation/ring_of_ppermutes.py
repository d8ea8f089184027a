# verdict: RV
# rule: psum
# also: out-replicated
# The partial products travel once around the ring and are added up.
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    travelling = total = h @ w2
    for _ in range(7):
        travelling = jax.lax.ppermute(travelling, "model", [(i, (i + 1) % 8) for i in range(8)])
        total = total + travelling
    return total + b2, h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None), P()),
        out_specs=(P(), P(None, "model")),
        check_vma=False,
    )(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
