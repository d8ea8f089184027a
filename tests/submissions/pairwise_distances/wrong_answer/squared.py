# verdict: WA
# The square root is missing.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    return ((x[:, None] - y) ** 2).sum(-1)
