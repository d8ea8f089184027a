# verdict: RV
# rule: no-callbacks
# The square root is taken by NumPy, through a callback.
import jax
import jax.numpy as jnp
import numpy as np


def pairwise_distances(x, y):
    squares = ((x[:, None] - y) ** 2).sum(-1)
    return jax.pure_callback(lambda s: np.sqrt(s), jax.ShapeDtypeStruct(squares.shape, squares.dtype), squares)  # <- here
