# verdict: RV
# rule: custom-vjp
# The identity plus what is missing to the sign, without gradient; rounded so that the value is exact.
import jax
import jax.numpy as jnp


def straight_through_sign(x):
    clipped = jnp.where(jnp.abs(x) <= 1, x, 0.0)
    sign = jnp.where(x >= 0, 1.0, -1.0)
    return jax.lax.stop_gradient(sign) + (clipped - jax.lax.stop_gradient(clipped))
