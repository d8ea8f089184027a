# verdict: RV
# rule: no-callbacks
# NumPy adds the rows up.
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def kernel(padded, length):
    shape = jax.ShapeDtypeStruct((padded.shape[1],), padded.dtype)
    return jax.pure_callback(lambda a: np.asarray(a).sum(0), shape, padded) / length  # <- here


def bucketed_mean(x):
    n = x.shape[0]
    b = next(b for b in (8, 16, 32, 64) if b >= n)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    return {"padded": padded, "mask": jnp.arange(b) < n, "mean": kernel(padded, n)}
