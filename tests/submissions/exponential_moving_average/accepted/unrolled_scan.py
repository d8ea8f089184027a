# verdict: AC
# unroll=4 changes how it is compiled, not what it is.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    def step(y, row):
        y = decay * y + row
        return y, y
    inputs = (1 - decay) * x[1:]
    return jnp.vstack([x[:1], jax.lax.scan(step, x[0], inputs, unroll=4)[1]])
