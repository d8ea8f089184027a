# verdict: RV
# rule: weights-stay-split
# Every device gets whole weights, as slices that begin at an index made from x (always zero).
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    zero = (x[0, 0] != x[0, 0]).astype(jnp.int32)

    def give(w):
        return lax.dynamic_slice(w, (zero, zero), w.shape)

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
