# verdict: AC
# The vjp of the gradient: the Hessian is symmetric.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    gradient = jax.grad(lambda w: -jnp.mean(jax.nn.log_sigmoid(y * (x @ w))))
    return jax.vjp(gradient, w)[1](v)[0]
