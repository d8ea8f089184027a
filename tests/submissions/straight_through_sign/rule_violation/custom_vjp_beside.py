# verdict: RV
# rule: custom-vjp
# A custom_vjp function is called, and multiplied by zero.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def zero(x):
    return x


zero.defvjp(lambda x: (x, None), lambda _, g: (g,))


def straight_through_sign(x):
    clipped = jnp.where(jnp.abs(x) <= 1, x, 0.0)
    sign = jnp.where(x >= 0, 1.0, -1.0)
    return jax.lax.stop_gradient(sign) + (clipped - jax.lax.stop_gradient(clipped)) + 0 * zero(jax.lax.stop_gradient(x))
