"""Sleeps for ever, using no processor time at all.

verdicts: TLE
harm: seconds 4
options: --time-limit 3
"""

import time

import jax.numpy as jnp

while True:
    time.sleep(1000)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
