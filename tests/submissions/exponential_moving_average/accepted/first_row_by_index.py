# verdict: AC
# The step knows its number, and takes the row itself at the first.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, given):
        t, row = given
        y = jnp.where(t == 0, row, decay * y + (1 - decay) * row)
        return y, y
    return jax.lax.scan(step, jnp.zeros(x.shape[1]), (jnp.arange(x.shape[0]), x))[1]
