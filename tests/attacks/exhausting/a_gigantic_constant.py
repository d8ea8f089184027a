"""Closes over a gigabyte of numbers, which would have to be sent.

verdicts: MLE RE TLE RV WA
harm: seconds 11
options: --memory-limit 1024 --time-limit 10
"""

import jax.numpy as jnp
import numpy as np

constant = np.arange(1 << 28, dtype=np.float32)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": x + jnp.sum(jnp.asarray(constant)), "hidden": x}
