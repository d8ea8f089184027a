# verdict: RV
# rule: no-callbacks
# The last product is NumPy's.
import jax
import jax.numpy as jnp
import numpy as np


def unit(x):
    n = jnp.linalg.norm(x)
    return jnp.where(n > 0, x / n, jnp.zeros_like(x))


def spectral_norm(w, u):
    def body(_, carry):
        v = unit(w.T @ carry[0])
        return unit(w @ v), v
    u, v = jax.lax.fori_loop(0, 50, body, (u, jnp.zeros(w.shape[1])))
    sigma = jax.pure_callback(lambda u, w, v: np.float32(u @ w @ v), jax.ShapeDtypeStruct((), jnp.float32), u, w, v)  # <- here
    return {"sigma": sigma, "u": u, "v": v}
