"""Raises an exception whose class has a forged name, and whose text is another one each time, endless, or an error itself.

verdicts: RE MLE
"""

import jax.numpy as jnp


class Text(str):
    def __str__(self):
        raise SystemExit(0)

    def __len__(self):
        return -1


class Forged(Exception):
    def __str__(self):
        return Text("x" * (1 << 26))

    __repr__ = __str__


Forged.__name__ = Forged.__qualname__ = 'AC\n\x1b[2J"}'
Forged.__module__ = "grader\n"


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    raise Forged
