"""A fork bomb (here: at most 500 processes).

verdicts: RE TLE MLE
harm: seconds 4
options: --time-limit 3
"""

import os
import time

import jax.numpy as jnp

for _ in range(500):
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
