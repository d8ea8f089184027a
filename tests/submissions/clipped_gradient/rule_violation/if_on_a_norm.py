# verdict: RV
# rule: stays-traced
# A Python if.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    n = jnp.linalg.norm(g, axis=-1, keepdims=True)
    if (n > clip).any():  # <- here
        g = g * jnp.minimum(1.0, clip / n)
    return g.mean(0)
