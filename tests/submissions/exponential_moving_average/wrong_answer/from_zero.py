# verdict: WA
# The average starts at zero.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, row):
        y = decay * y + (1 - decay) * row
        return y, y
    return jax.lax.scan(step, jnp.zeros_like(x[0]), x)[1]
