# verdict: AC
# The border is an argument that is not differentiated.
import functools
import jax
import jax.numpy as jnp


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def f(x, border):
    return jnp.where(x >= 0, 1.0, -1.0)


f.defvjp(lambda x, border: (f(x, border), x), lambda border, x, g: (jnp.where(abs(x) <= border, g, 0.0),))


def straight_through_sign(x):
    return f(x, 1.0)
