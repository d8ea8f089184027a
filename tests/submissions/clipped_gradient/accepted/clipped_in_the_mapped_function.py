# verdict: AC
# One function clips one gradient; it is mapped whole.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def one(w, x, y, clip):
    g = jax.grad(loss)(w, x, y)
    n = jnp.linalg.norm(g)
    return jnp.where(n > clip, g * (clip / n), g)


def clipped_gradient(w, x, y, clip):
    return jax.vmap(one, in_axes=(None, 0, 0, None))(w, x, y, clip).mean(0)
