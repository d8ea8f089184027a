# verdict: RV
# rule: scan
# A true scan whose results are multiplied by zero.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    t = jnp.arange(x.shape[0])
    lag = t[:, None] - t[None, :]
    weights = jnp.where(lag >= 0, decay ** jnp.maximum(lag, 0), 0.0) * jnp.where(t == 0, 1.0, 1 - decay)
    def step(y, row):
        y = decay * y + (1 - decay) * row
        return y, y
    return weights @ x + 0 * jax.lax.scan(step, x[0], x)[1]
