# verdict: RV
# rule: constant-program
# One entry of the result at a time, in Python.
import jax
import jax.numpy as jnp


def loss(w, x, y):
    return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))


def hessian_vector_product(w, v, x, y):
    m = y * (x @ w)
    t = jax.nn.sigmoid(m) * jax.nn.sigmoid(-m) * (x @ v) / x.shape[0]
    return jnp.stack([jnp.dot(t, x[:, j]) for j in range(w.size)])
