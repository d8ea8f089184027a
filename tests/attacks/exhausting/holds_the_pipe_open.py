"""Leaves a grandchild that keeps every descriptor open after the process has ended.

verdicts: RE TLE
harm: seconds 4
harm: seconds 4
options: --time-limit 3
"""

import os
import time

import jax.numpy as jnp

if os.fork() == 0:
    os.setsid()
    time.sleep(20)
    os._exit(0)
os._exit(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
