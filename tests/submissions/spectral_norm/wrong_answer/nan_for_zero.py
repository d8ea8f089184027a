# verdict: WA
# Division by the norm as it is.
import jax
import jax.numpy as jnp


def spectral_norm(w, u):
    def body(_, carry):
        v = w.T @ carry[0]
        v = v / jnp.linalg.norm(v)
        u = w @ v
        return u / jnp.linalg.norm(u), v
    u, v = jax.lax.fori_loop(0, 50, body, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ w @ v, "u": u, "v": v}
