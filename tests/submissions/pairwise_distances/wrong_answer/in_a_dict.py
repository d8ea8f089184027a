# verdict: WA
# A dict around the array.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    return {"distances": jnp.sqrt(((x[:, None] - y) ** 2).sum(-1))}
