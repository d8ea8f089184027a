# verdict: AC
# A fori_loop over a known number of steps: JAX makes a scan of it.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(t, y):
        return y.at[t].set(decay * y[t - 1] + (1 - decay) * x[t])
    return jax.lax.fori_loop(1, x.shape[0], step, x)
