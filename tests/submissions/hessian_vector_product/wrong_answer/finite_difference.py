# verdict: WA
# A difference of gradients.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    h = 1e-3
    gradient = jax.grad(loss)
    return (gradient(w + h * v, x, y) - gradient(w - h * v, x, y)) / (2 * h)
