# verdict: RV
# rule: no-loop
# The gradients come from vmap; a scan averages them.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    n = jnp.linalg.norm(g, axis=-1, keepdims=True)
    g = g * jnp.minimum(1.0, clip / n)
    return jax.lax.scan(lambda s, row: (s + row, None), jnp.zeros_like(w), g)[0] / x.shape[0]  # <- here
