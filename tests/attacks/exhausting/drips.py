"""Sends one byte every now and then, for ever: each read gets something, none gets enough.

verdicts: TLE RE
harm: seconds 4
options: --time-limit 3
"""

import os
import time

import jax.numpy as jnp

while True:
    for descriptor in range(1, 64):
        try:
            os.write(descriptor, b"\0")
        except OSError:
            pass
    time.sleep(0.2)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
