# verdict: RV
# rule: constant-program
# The scan is there; its rows are taken out and put together one by one.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, row):
        y = decay * y + (1 - decay) * row
        return y, y
    rows = jax.lax.scan(step, x[0], x)[1]
    return jnp.stack([rows[t] for t in range(x.shape[0])])
