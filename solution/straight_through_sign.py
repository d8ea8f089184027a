"""The sign of a number, with the gradient of the identity clipped to [−1, 1] (a straight-through estimator).

custom_vjp gives the function its own backward pass: the forward pass keeps where |x| ≤ 1, the backward pass lets the
cotangent through there and stops it elsewhere.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


@jax.custom_vjp
def straight_through_sign(x: jax.Array) -> jax.Array:
    """x (N,), float32. Returns 1 where x ≥ 0 and −1 elsewhere, (N,), float32."""
    return jnp.where(x >= 0, 1.0, -1.0)


def forward(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The result, and what the backward pass needs to know: where the gradient passes."""
    return straight_through_sign(x), jnp.abs(x) <= 1


def backward(passes: jax.Array, cotangent: jax.Array) -> tuple[jax.Array]:
    """The cotangent of x."""
    return (jnp.where(passes, cotangent, 0.0),)


straight_through_sign.defvjp(forward, backward)
