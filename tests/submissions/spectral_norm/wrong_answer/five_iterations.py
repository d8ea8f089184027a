# verdict: WA
# Too few.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    return jnp.where(n > 0, x / n, jnp.zeros_like(x))


def spectral_norm(w, u):
    def body(_, carry):
        v = unit(w.T @ carry[0])
        return unit(w @ v), v
    u, v = jax.lax.fori_loop(0, 5, body, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ w @ v, "u": u, "v": v}
