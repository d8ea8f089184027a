# verdict: RV
# rule: no-callbacks
# NumPy computes the norms.
import jax
import jax.numpy as jnp
import numpy as np


def clipped_gradient(w, x, y, clip):
    g = 2 * (x @ w - y)[:, None] * x
    norm = lambda a: np.sqrt((a * a).sum(1, keepdims=True)).astype(np.float32)
    n = jax.pure_callback(norm, jax.ShapeDtypeStruct((x.shape[0], 1), x.dtype), g)  # <- here
    return (g * clip / jnp.maximum(n, clip)).mean(axis=0)
