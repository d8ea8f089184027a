"""Makes every reply lose its second half.

verdicts: RE RV WA
"""

import os

import jax.numpy as jnp

write = os.write


def half(descriptor, data):
    write(descriptor, data[: len(data) // 2])
    return len(data)


os.write = half


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
