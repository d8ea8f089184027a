# verdict: WA
# The mean is clipped.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y).mean(0)
    n = jnp.linalg.norm(g)
    return jnp.where(n > clip, g * (clip / n), g)
