"""Traces shapes of 2^62 elements, and their products.

verdicts: MLE RV WA RE TLE
harm: seconds 7
options: --time-limit 6
"""

import jax
import jax.numpy as jnp


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    huge = jax.lax.broadcast(x[0, 0], (1 << 31, 1 << 31))
    return {"out": x + jnp.max(jnp.reshape(huge, (1 << 62,))), "hidden": x}
