# verdict: AC
# A scan that adds up one example's product after another.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    def add(total, example):
        a, b = example
        one = lambda w: jnp.logaddexp(0.0, -b * (a @ w))
        return total + jax.jvp(jax.grad(one), (w,), (v,))[1], None
    return jax.lax.scan(add, jnp.zeros_like(w), (x, y))[0] / x.shape[0]
