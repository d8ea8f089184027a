"""The Hessian of a logistic loss times a vector: the derivative of the gradient along the vector.

Forward mode over reverse mode: one jvp of jax.grad, and no D × D matrix anywhere. logaddexp keeps large margins from
overflowing, in the loss and in both of its derivatives.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def hessian_vector_product(w: jax.Array, v: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """w (D,), v (D,), x (N, D), y (N,) of −1 and 1, float32. Returns H(w) v, (D,)."""

    def loss(w: jax.Array) -> jax.Array:
        return jnp.mean(jnp.logaddexp(0.0, -y * (x @ w)))

    _, product = jax.jvp(jax.grad(loss), (w,), (v,))
    return product
