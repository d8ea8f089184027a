# verdict: WA
# Sign and mask.
import jax
import jax.numpy as jnp


def straight_through_sign(x):
    return jnp.where(x >= 0, 1.0, -1.0), jnp.abs(x) <= 1
