# verdict: AC
# A Python loop over the coordinates, of which there are always few: nothing grows with N and M.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    total = jnp.zeros((x.shape[0], y.shape[0]))
    for k in range(x.shape[1]):
        total = total + jnp.square(jnp.subtract.outer(x[:, k], y[:, k]))
    return jnp.sqrt(total)
