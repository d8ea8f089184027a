# verdict: WA
# jnp.sign.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def straight_through_sign(x):
    return jnp.sign(x)


straight_through_sign.defvjp(lambda x: (jnp.sign(x), x), lambda x, g: (jnp.where(jnp.abs(x) <= 1, g, 0.0),))
