# verdict: AC
# Twice a bool, minus one, in a jitted function.
import jax
import jax.numpy as jnp


@jax.custom_vjp
def f(x):
    return 2.0 * (x >= 0).astype(jnp.float32) - 1.0


def forward(x):
    return f(x), (x, jnp.clip(x, -1, 1))


def backward(kept, g):
    x, clipped = kept
    return (jnp.where(x == clipped, g, jnp.zeros_like(g)),)


f.defvjp(forward, backward)
straight_through_sign = jax.jit(f)
