# verdict: AC
# A while_loop; sigma is the norm of w v, which is the same.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.linalg.norm(x)
    return x / jnp.maximum(n, 1e-12), n


def spectral_norm(w, u):
    def body(state):
        i, u, v, s = state
        v, _ = unit(w.T @ u)
        u, s = unit(w @ v)
        return i + 1, u, v, s
    _, u, v, s = jax.lax.while_loop(lambda state: state[0] < 50, body, (0, u, jnp.zeros(w.shape[1]), 0.0))
    return {"sigma": s, "u": u, "v": v}
