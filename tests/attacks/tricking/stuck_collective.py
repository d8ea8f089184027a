"""A psum that only some devices reach: running it for real would hang, then abort.

verdicts: RV RE WA TLE
harm: seconds 40
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec as P


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        part = hidden @ w2
        first = jax.lax.axis_index("model") == 0
        return hidden, jax.lax.cond(first, lambda p: jax.lax.psum(p, "model"), lambda p: p, part)

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
        check_vma=False,
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}
