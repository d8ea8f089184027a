"""Kills itself with every signal in turn, so that its end looks like something else's doing.

verdicts: RE TLE
options: --time-limit 3
"""

import os
import signal

import jax.numpy as jnp

for number in signal.valid_signals():
    try:
        os.kill(os.getpid(), number)
    except OSError:
        continue


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
