# verdict: WA
# A small number under the root spoils near points.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    return jnp.sqrt(((x[:, None] - y) ** 2).sum(-1) + 1e-6)
