# verdict: WA
# log(1 + exp(z)) as it is written.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    naive = lambda w: jnp.mean(jnp.log(1 + jnp.exp(-y * (x @ w))))
    return jax.jvp(jax.grad(naive), (w,), (v,))[1]
