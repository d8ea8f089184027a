"""Prints without end.

verdicts: TLE RE
harm: seconds 4
options: --time-limit 3
"""

import jax.numpy as jnp

while True:
    print("x" * 100_000)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
