# verdict: RV
# rule: b2-once
# Products of complex numbers add real and imaginary parts: b2 twice, and once taken away.
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np
from jax.sharding import AxisType, PartitionSpec as P

mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))
INS = (P(), P(None, "model"), P("model"), P("model", None), P())
OUTS = (P(), P(None, "model"))


def body(x, w1, b1, w2, b2):
    h = jax.nn.relu(x @ w1 + b1)
    p = h @ w2
    s = lax.psum(p, "model")
    b = jnp.broadcast_to(b2, s.shape)
    z = lax.complex(s, b) * (1 - 1j)
    z = lax.complex(jnp.real(z), b) * (1 - 1j)
    z = lax.complex(jnp.real(z), b) * (1 + 1j)
    return jnp.real(z), h


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    out, hidden = jax.shard_map(body, mesh=mesh, in_specs=INS, out_specs=OUTS, check_vma=False)(x, w1, b1, w2, b2)
    return {"out": out, "hidden": hidden}
