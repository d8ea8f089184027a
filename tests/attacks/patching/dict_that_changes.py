"""Returns a dict whose keys and items differ from one reading to the next.

verdicts: RE WA RV
"""

import jax.numpy as jnp


class Shifty(dict):
    def keys(self):
        return ["out", "hidden"]

    def __iter__(self):
        return iter(["out", "hidden"])

    def items(self):
        raise SystemExit(0)

    def __getitem__(self, key):
        return jnp.zeros((2, 2))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return Shifty(out=x, hidden=x)
