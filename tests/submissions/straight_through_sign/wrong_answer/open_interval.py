# verdict: WA
# Less than 1 instead of at most 1.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def straight_through_sign(x):
    return jnp.where(x >= 0, 1.0, -1.0)


straight_through_sign.defvjp(lambda x: (straight_through_sign(x), x), lambda x, g: (jnp.where(jnp.abs(x) < 1, g, 0.0),))
