"""Writes over its own heap at random, and over the stack, until it dies.

verdicts: RE TLE
options: --time-limit 3
"""

import ctypes
import random

import jax.numpy as jnp

numbers = random.Random(1)
for _ in range(100_000):
    ctypes.memset(id(object()) + numbers.randrange(-(1 << 16), 1 << 16), numbers.randrange(256), 8)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
