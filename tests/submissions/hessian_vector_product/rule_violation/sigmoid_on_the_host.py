# verdict: RV
# rule: no-callbacks
# The sigmoid is NumPy's.
import jax
import numpy as np


def slope(m):
    e = np.exp(-np.abs(m))
    return (e / (1 + e) ** 2).astype(np.float32)


def hessian_vector_product(w, v, x, y):
    m = y * (x @ w)
    s = jax.pure_callback(slope, jax.ShapeDtypeStruct(m.shape, m.dtype), m)  # <- here
    return x.T @ (s * (x @ v)) / x.shape[0]
