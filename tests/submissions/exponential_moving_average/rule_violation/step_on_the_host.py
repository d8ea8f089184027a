# verdict: RV
# rule: no-callbacks
# Rows are scaled on the host.
import jax
import numpy as np


def exponential_moving_average(x, decay):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    scaled = jax.pure_callback(lambda a, d: ((1 - d) * a).astype(np.float32), shape, x, decay)  # <- here
    def step(y, row):
        y = decay * y + row
        return y, y
    return jax.lax.scan(step, x[0], scaled)[1]
