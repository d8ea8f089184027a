# verdict: AC
# The squares are added up by einsum, in a function under jit.
import jax
import jax.numpy as jnp


@jax.jit
def pairwise_distances(x, y):
    d = jnp.expand_dims(x, 1) - jnp.expand_dims(y, 0)
    return jnp.sqrt(jnp.einsum("nmd,nmd->nm", d, d))
