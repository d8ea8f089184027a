# verdict: AC
# A function of one number, mapped.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def one(x):
    return jax.lax.select(x >= 0, jnp.ones_like(x), -jnp.ones_like(x))


def backward(x, g):
    return (jnp.where((x >= -1) & (x <= 1), g, 0),)


one.defvjp(lambda x: (one(x), x), backward)


def straight_through_sign(x):
    return jax.vmap(one)(x)
