# verdict: AC
# All pairs as one long list of rows.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    n, m = x.shape[0], y.shape[0]
    left = jnp.repeat(x, m, axis=0)
    right = jnp.tile(y, (n, 1))
    return jnp.linalg.norm(right - left, axis=-1).reshape(n, m)
