"""Prints 50 MB of control characters in one line, then answers.

verdicts: RV WA TLE RE
harm: seconds 4
options: --time-limit 3
"""

import sys

import jax.numpy as jnp

for _ in range(50):
    sys.stderr.write("\x1b\x07\x00\r" * 250_000)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
