"""Nests bodies ten thousand deep.

verdicts: RE TLE MLE RV
harm: seconds 7
options: --time-limit 6
"""

import sys

import jax

sys.setrecursionlimit(1_000_000)


def nest(depth, x):
    return x + 1 if depth == 0 else jax.jit(lambda y: nest(depth - 1, y))(x)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x = nest(10_000, x)
    return {"out": x, "hidden": x}
