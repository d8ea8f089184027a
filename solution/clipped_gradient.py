"""Per-example gradient clipping: the gradient of one example's loss, mapped over the examples, scaled, averaged.

The weights are shared (in_axes=None); each example gives a gradient (D,). Where a gradient is zero its norm is kept
from being divided by, so that no 0/0 can arise.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def loss(w: jax.Array, x: jax.Array, y: jax.Array) -> jax.Array:
    """Squared error of one example: w (D,), x (D,), y ()."""
    return (x @ w - y) ** 2


def clipped_gradient(w: jax.Array, x: jax.Array, y: jax.Array, clip: jax.Array) -> jax.Array:
    """w (D,), x (B, D), y (B,), clip (), float32. Returns the mean of the clipped gradients, (D,)."""
    gradients = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)
    norms = jnp.sqrt(jnp.sum(gradients**2, axis=1, keepdims=True))
    scale = jnp.minimum(1.0, clip / jnp.where(norms > 0, norms, clip))
    return jnp.mean(gradients * scale, axis=0)
