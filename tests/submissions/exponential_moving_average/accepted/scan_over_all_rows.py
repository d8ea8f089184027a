# verdict: AC
# The scan runs T steps, the first one mixes x[0] with itself.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, row):
        y = y + (1 - decay) * (row - y)
        return y, y
    return jax.lax.scan(step, x[0], x)[1]
