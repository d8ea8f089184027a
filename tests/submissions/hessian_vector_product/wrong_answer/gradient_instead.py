# verdict: WA
# The gradient, v unused.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    return jax.grad(loss)(w, x, y)
