# verdict: RV
# rule: loop
# Fifty iterations written out.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    return jnp.where(n > 0, x / n, jnp.zeros_like(x))


def spectral_norm(w, u):
    for _ in range(50):
        v = unit(w.T @ u)
        u = unit(w @ v)
    return {"sigma": u @ w @ v, "u": u, "v": v}
