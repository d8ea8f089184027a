# verdict: RV
# rule: no-hessian
# xᵀ S x, formed first.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    m = y * (x @ w)
    s = jax.nn.sigmoid(m) * jax.nn.sigmoid(-m)
    hessian = (x.T * s) @ x / x.shape[0]  # <- here
    return hessian @ v
