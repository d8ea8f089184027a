"""Matches a regular expression that takes longer than the universe has been.

verdicts: TLE
harm: seconds 4
options: --time-limit 3
"""

import re

import jax.numpy as jnp

re.match(r"(a+)+$", "a" * 64 + "b")


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
