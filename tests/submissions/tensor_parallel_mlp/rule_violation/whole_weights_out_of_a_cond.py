# verdict: RV
# rule: weights-stay-split
# Every device gets whole weights, as the result of a cond on x that always takes one branch.
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    def give(w):
        return lax.cond(x[0, 0] == x[0, 0], lambda: w, lambda: w[::-1])

    c1, c2 = give(w1), give(w2)

    def body(x, w1, b1, w2, b2, c1, c2):
        d = lax.axis_index("model")
        n = w1.shape[1]
        W1 = lax.dynamic_slice(c1, (0, d * n), w1.shape)
        W2 = lax.dynamic_slice(c2, (d * n, 0), w2.shape)
        h = jax.nn.relu(x @ W1 + b1)
        return lax.psum(h @ W2, "model") + b2, h

    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=(*INS, P(), P()), out_specs=OUTS, check_vma=False)(
        x, w1, b1, w2, b2, c1, c2
    )
    return {"out": out, "hidden": hidden}
