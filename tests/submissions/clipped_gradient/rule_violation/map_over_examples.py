# verdict: RV
# rule: no-loop
# also: per-example
# jax.lax.map, one example after the other.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return (jnp.dot(x, w) - y) ** 2


def clipped_gradient(w, x, y, clip):
    def one(example):
        g = jax.grad(loss)(w, *example)
        n = jnp.linalg.norm(g)
        return jnp.where(n > clip, g * (clip / n), g)
    return jax.lax.map(one, (x, y)).mean(0)  # <- here
