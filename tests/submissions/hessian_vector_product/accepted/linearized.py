# verdict: AC
# jax.linearize of the gradient, in a jitted function.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


@jax.jit
def hessian_vector_product(w, v, x, y):
    _, derivative = jax.linearize(lambda w: jax.grad(loss)(w, x, y), w)
    return derivative(v)
