"""Overwrites small integers and True in the interpreter's memory.

verdicts: RE RV WA CE TLE
options: --time-limit 2
"""

import ctypes

import jax.numpy as jnp

ctypes.memset(id(True) + 16, 0, 16)
ctypes.memmove(id(1) + 16, id(0) + 16, 12)
ctypes.memmove(id(8) + 16, id(9) + 16, 12)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
