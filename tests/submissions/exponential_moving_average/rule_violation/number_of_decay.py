# verdict: RV
# rule: stays-traced
# float() of a traced scalar.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    d = float(decay)  # <- here
    def step(y, row):
        y = d * y + (1 - d) * row
        return y, y
    return jax.lax.scan(step, x[0], x)[1]
