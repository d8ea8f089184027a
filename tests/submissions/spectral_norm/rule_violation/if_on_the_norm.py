# verdict: RV
# rule: stays-traced
# A Python if in the unit function.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    if n == 0:  # <- here
        return x
    return x / n


def spectral_norm(w, u):
    def body(_, carry):
        v = unit(w.T @ carry[0])
        return unit(w @ v), v
    u, v = jax.lax.fori_loop(0, 50, body, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ w @ v, "u": u, "v": v}
