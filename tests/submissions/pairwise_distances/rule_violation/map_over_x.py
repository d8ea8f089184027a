# verdict: RV
# rule: no-loop
# jax.lax.map over the points of x: a loop, one point at a time.
import jax
import jax.numpy as jnp


def pairwise_distances(x, y):
    return jax.lax.map(lambda a: jnp.linalg.norm(a - y, axis=-1), x)  # <- here
