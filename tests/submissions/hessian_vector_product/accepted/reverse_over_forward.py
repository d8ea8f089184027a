# verdict: AC
# The gradient of the derivative along v.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    along = lambda w: jax.jvp(lambda w: loss(w, x, y), (w,), (v,))[1]
    return jax.grad(along)(w)
