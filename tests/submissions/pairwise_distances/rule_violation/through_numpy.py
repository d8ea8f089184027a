# verdict: RV
# rule: stays-traced
# NumPy wants the values.
import jax.numpy as jnp
import numpy as np


def pairwise_distances(x, y):
    d = np.asarray(x)[:, None] - np.asarray(y)  # <- here
    return jnp.sqrt(jnp.asarray((d ** 2).sum(-1)))
