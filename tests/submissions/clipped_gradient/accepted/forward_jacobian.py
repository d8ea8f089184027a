# verdict: AC
# Forward mode gives the transposed array.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    g = jax.jacfwd(lambda w: (x @ w - y) ** 2)(w)
    n = jnp.sqrt((g * g).sum(-1))
    factor = 1 / jnp.maximum(1.0, n / clip)
    return jnp.average(g * factor[:, None], axis=0)
