# verdict: RE
# The forward rule returns the result alone.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def straight_through_sign(x):
    return jnp.where(x >= 0, 1.0, -1.0)


straight_through_sign.defvjp(lambda x: straight_through_sign(x), lambda x, g: (g,))
