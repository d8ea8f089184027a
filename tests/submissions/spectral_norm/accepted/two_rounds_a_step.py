# verdict: AC
# 25 steps of two iterations each.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    return jnp.where(n > 0, x / n, jnp.zeros_like(x))


def spectral_norm(w, u):
    def once(u):
        v = unit(w.T @ u)
        return unit(w @ v), v
    def body(_, carry):
        return once(once(carry[0])[0])
    u, v = jax.lax.fori_loop(0, 25, body, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ w @ v, "u": u, "v": v}
