# verdict: RV
# rule: scan
# A triangular matrix of powers of decay: one product.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    t = jnp.arange(x.shape[0])
    lag = t[:, None] - t[None, :]
    weights = jnp.where(lag >= 0, decay ** jnp.maximum(lag, 0), 0.0) * jnp.where(t == 0, 1.0, 1 - decay)
    return weights @ x
