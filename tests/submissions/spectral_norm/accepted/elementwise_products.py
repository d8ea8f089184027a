# verdict: AC
# Products and sums instead of matmul.
import jax
import jax.numpy as jnp


def unit(x):
    n = jnp.sqrt(jnp.sum(jnp.square(x)))
    return jnp.nan_to_num(x / n, nan=0.0)


@jax.jit
def spectral_norm(w, u):
    def body(i, carry):
        v = unit((w * carry[0][:, None]).sum(0))
        return unit((w * v).sum(1)), v
    u, v = jax.lax.fori_loop(0, 50, body, (u, w[0]))
    return {"v": v, "u": u, "sigma": (u[:, None] * w * v).sum()}
