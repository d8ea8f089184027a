# verdict: AC
# jnp.linalg.norm of the difference, mapped twice, the outer map over y and turned round by out_axes.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    one = lambda b: jax.vmap(lambda a: jnp.linalg.norm(a - b))(x)
    return jax.vmap(one, out_axes=1)(y)
