# verdict: WA
# The last carry alone.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    return jax.lax.scan(lambda y, row: (decay * y + (1 - decay) * row, None), x[0], x)[0]
