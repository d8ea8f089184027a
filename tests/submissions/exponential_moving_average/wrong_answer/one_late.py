# verdict: WA
# The carry before the step is put out.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, row):
        return decay * y + (1 - decay) * row, y
    return jax.lax.scan(step, x[0], x)[1]
