# verdict: RV
# rule: differences
# Doubled points: what is subtracted are not the coordinates themselves.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    d = (2 * x)[:, None, :] - (2 * y)[None, :, :]
    return jnp.sqrt((d ** 2).sum(-1)) / 2
