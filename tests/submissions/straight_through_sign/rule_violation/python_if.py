# verdict: RV
# rule: stays-traced
# A Python if an element.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def straight_through_sign(x):
    return jnp.stack([jnp.float32(1 if v >= 0 else -1) for v in x])  # <- here


straight_through_sign.defvjp(lambda x: (straight_through_sign(x), x), lambda x, g: (jnp.where(jnp.abs(x) <= 1, g, 0.0),))
