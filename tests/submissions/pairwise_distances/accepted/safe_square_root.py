# verdict: AC
# The square root is kept from zero, as one does for the sake of gradients.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    squares = jnp.sum((x[:, None] - y) ** 2, axis=-1)
    zero = squares == 0
    return jnp.where(zero, 0.0, jnp.sqrt(jnp.where(zero, 1.0, squares)))
