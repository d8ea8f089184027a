# verdict: RV
# rule: constant-program
# A Python loop over the points of x: the program grows with N.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    rows = []
    for i in range(x.shape[0]):
        rows.append(jnp.sqrt(((x[i] - y) ** 2).sum(-1)))  # <- here
    return jnp.stack(rows)
