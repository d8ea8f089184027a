# verdict: WA
# decay on the new value.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, row):
        y = (1 - decay) * y + decay * row
        return y, y
    return jax.lax.scan(step, x[0], x)[1]
