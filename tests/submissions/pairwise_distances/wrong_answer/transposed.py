# verdict: WA
# Rows for y, columns for x: the shape shows it unless N = M.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    return jnp.sqrt(((y[:, None] - x) ** 2).sum(-1))
