# verdict: AC
# jax.nn.softplus of one example, mapped over the examples.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    one = lambda w, a, b: jax.nn.softplus(-b * jnp.dot(a, w))
    product = lambda a, b: jax.jvp(jax.grad(lambda w: one(w, a, b)), (w,), (v,))[1]
    return jax.vmap(product)(x, y).mean(axis=0)
