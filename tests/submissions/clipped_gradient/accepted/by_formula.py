# verdict: AC
# No autodiff: 2 r x, and a largest of norm and clip in the denominator.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = 2 * (x @ w - y)[:, None] * x
    n = jnp.linalg.norm(g, axis=1, keepdims=True)
    return (g * clip / jnp.maximum(n, clip)).mean(axis=0)
