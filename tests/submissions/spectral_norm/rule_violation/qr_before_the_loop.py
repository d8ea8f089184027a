# verdict: RV
# rule: no-factorisation
# The start is made a unit vector by a QR decomposition.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    return jnp.where(n > 0, x / n, jnp.zeros_like(x))


def spectral_norm(w, u):
    q, r = jnp.linalg.qr(u[:, None])  # <- here
    u = q[:, 0] * r[0, 0]
    def body(_, carry):
        v = unit(w.T @ carry[0])
        return unit(w @ v), v
    u, v = jax.lax.fori_loop(0, 50, body, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ w @ v, "u": u, "v": v}
