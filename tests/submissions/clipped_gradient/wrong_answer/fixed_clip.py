# verdict: WA
# clip is taken to be 1.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    n = jnp.linalg.norm(g, axis=-1, keepdims=True)
    return (g * jnp.minimum(1.0, 1 / n)).mean(0)
