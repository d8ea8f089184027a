# verdict: WA
# The sum of the losses.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    total = lambda w: jnp.sum(jnp.logaddexp(0.0, -y * (x @ w)))
    return jax.jvp(jax.grad(total), (w,), (v,))[1]
