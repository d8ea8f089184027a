"""Takes memory in children, each below the limit (here: 8 of 400 MiB).

verdicts: MLE RE
options: --memory-limit 512
"""

import os
import time

import jax.numpy as jnp

for _ in range(8):
    if os.fork() == 0:
        held = b"x" * (400 << 20)
        time.sleep(20)
        os._exit(0)
time.sleep(2)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
