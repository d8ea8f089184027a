# verdict: AC
# A scan of length 50 over nothing, the safe division by a double where.
import jax
import jax.numpy as jnp


def unit(x):
    square = jnp.vdot(x, x)
    zero = square == 0
    return jnp.where(zero, 0.0, x / jnp.where(zero, 1.0, jnp.sqrt(square)))


def spectral_norm(w, u):
    def step(carry, _):
        u, v = carry
        v = unit(u @ w)
        return (unit(w @ v), v), None
    (u, v), _ = jax.lax.scan(step, (u, jnp.zeros(w.shape[1])), None, length=50)
    return {"sigma": jnp.einsum("m,mn,n->", u, w, v), "u": u, "v": v}
