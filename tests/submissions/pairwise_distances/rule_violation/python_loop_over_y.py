# verdict: RV
# rule: constant-program
# A Python loop over the points of y, each step a call: one equation each.
import jax
import jax.numpy as jnp


@jax.jit
def column(x, b):
    return jnp.sqrt(((x - b) ** 2).sum(-1))


def pairwise_distances(x, y):
    return jnp.stack([column(x, b) for b in y], axis=1)
