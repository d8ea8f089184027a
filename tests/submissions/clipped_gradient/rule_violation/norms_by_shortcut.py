# verdict: RV
# rule: per-example
# |g| is 2 |r| |x|: the gradients are never formed.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    r = x @ w - y
    n = 2 * jnp.abs(r) * jnp.linalg.norm(x, axis=1)
    scale = jnp.minimum(1.0, clip / n)
    return 2 * (scale * r) @ x / x.shape[0]
