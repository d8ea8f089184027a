# verdict: RV
# rule: constant-program
# The products by w are written out row by row, in the loop.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    return jnp.where(n > 0, x / n, jnp.zeros_like(x))


def spectral_norm(w, u):
    def body(_, carry):
        v = unit(w.T @ carry[0])
        u = unit(jnp.stack([(w * v)[i].sum() for i in range(w.shape[0])]))
        return u, v
    u, v = jax.lax.fori_loop(0, 50, body, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ w @ v, "u": u, "v": v}
