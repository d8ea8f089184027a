# verdict: RV
# rule: constant-program
# also: per-example
# One example at a time, in Python, added up.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    total = jnp.zeros_like(w)
    for i in range(x.shape[0]):
        g = jax.grad(loss)(w, x[i], y[i])
        n = jnp.linalg.norm(g)
        total = total + jnp.where(n > clip, g * (clip / n), g)
    return total / x.shape[0]
