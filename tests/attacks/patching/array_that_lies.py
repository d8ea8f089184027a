"""Returns an object that turns into another array, shape and dtype each time it is asked.

verdicts: RE WA RV
"""

import jax.numpy as jnp


class Array:
    asked = 0

    @property
    def shape(self):
        Array.asked += 1
        return (Array.asked, 1 << 62)

    dtype = "float32"
    ndim = 2
    size = -1

    def __jax_array__(self):
        Array.asked += 1
        return jnp.zeros((Array.asked % 5, 2))

    def __array__(self, dtype=None, copy=None):
        raise SystemExit(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": Array(), "hidden": Array()}
