"""Puts its own pipe over every descriptor, and reads what the judge's side would say.

verdicts: RE TLE RV
options: --time-limit 3
"""

import os

import jax.numpy as jnp

reader, writer = os.pipe()
for descriptor in range(3, 64):
    if descriptor not in (reader, writer):
        try:
            os.dup2(writer, descriptor)
        except OSError:
            continue


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
