# verdict: AC
# A cond, which vmap turns into a select.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def one(w, x, y, clip):
    g = jax.grad(loss)(w, x, y)
    n = jnp.sqrt(jnp.vdot(g, g))
    return jax.lax.cond(n > clip, lambda: g / n * clip, lambda: g)


@jax.jit
def clipped_gradient(w, x, y, clip):
    return jnp.mean(jax.vmap(lambda a, b: one(w, a, b, clip))(x, y), axis=0)
