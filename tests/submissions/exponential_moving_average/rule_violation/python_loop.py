# verdict: RV
# rule: constant-program
# also: scan
# Every step written out.
import jax
import jax.numpy as jnp


def exponential_moving_average(x, decay):
    rows = [x[0]]
    for t in range(1, x.shape[0]):
        rows.append(decay * rows[-1] + (1 - decay) * x[t])
    return jnp.stack(rows)
