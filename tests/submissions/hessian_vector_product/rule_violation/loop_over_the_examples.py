# verdict: RV
# rule: constant-program
# One example at a time, in Python.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    total = jnp.zeros_like(w)
    for i in range(x.shape[0]):
        one = lambda w: jnp.logaddexp(0.0, -y[i] * (x[i] @ w))
        total = total + jax.jvp(jax.grad(one), (w,), (v,))[1]
    return total / x.shape[0]
