"""Writes a megabyte of noise to every descriptor, then goes on as if nothing were.

verdicts: RE RV WA
"""

import os
import random

import jax.numpy as jnp

noise = random.Random(0).randbytes(1 << 20)
for descriptor in range(256):
    try:
        os.set_blocking(descriptor, False)
        os.write(descriptor, noise)
    except OSError:
        continue


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
