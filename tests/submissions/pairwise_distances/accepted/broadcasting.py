# verdict: AC
# Axes of size 1 instead of vmap.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    return jnp.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(-1))
