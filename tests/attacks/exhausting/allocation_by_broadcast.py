"""Traces a program that needs terabytes to run, and nothing to write down.

verdicts: MLE RV WA RE TLE
harm: seconds 7
options: --time-limit 6
"""

import jax.numpy as jnp


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    huge = jnp.broadcast_to(x[:1, :1], (1 << 20, 1 << 20))
    return {"out": x + jnp.sum(huge * 2), "hidden": x}
