# verdict: AC
# The gradient of the gradient's inner product with v.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    return jax.grad(lambda w: jnp.vdot(jax.grad(loss)(w, x, y), v))(w)
