# verdict: RV
# rule: scan
# A while_loop: its number of steps is not known beforehand.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(state):
        t, y = state
        return t + 1, y.at[t].set(decay * y[t - 1] + (1 - decay) * x[t])
    return jax.lax.while_loop(lambda state: state[0] < x.shape[0], step, (1, x))[1]  # <- here
