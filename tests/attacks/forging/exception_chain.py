"""Raises an exception that is its own cause, with a thousand notes and a group of groups.

verdicts: RE
"""

import jax.numpy as jnp

error = RuntimeError("first")
for _ in range(1000):
    error = ExceptionGroup("deeper\nAC", [error, ValueError("\x1b[2J")])
    error.add_note("AC\n" * 10)
error.__cause__ = error.__context__ = error
raise error


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
