# verdict: WA
# A custom_vjp that says what is true.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def straight_through_sign(x):
    return jnp.where(x >= 0, 1.0, -1.0)


straight_through_sign.defvjp(lambda x: (straight_through_sign(x), None), lambda _, g: (jnp.zeros_like(g),))
