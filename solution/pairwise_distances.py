"""Euclidean distances between all pairs of two sets of points: a function of two points, mapped twice.

The inner vmap goes over the points of y, the outer one over those of x. Differences are formed before anything is
squared: |x|² − 2 x·y + |y|² would lose the digits in which near points differ.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def distance(a: jax.Array, b: jax.Array) -> jax.Array:
    """The distance of two points (D,): a scalar."""
    return jnp.sqrt(jnp.sum((a - b) ** 2))


def pairwise_distances(x: jax.Array, y: jax.Array) -> jax.Array:
    """x (N, D), y (M, D), float32. Returns (N, M)."""
    return jax.vmap(jax.vmap(distance, in_axes=(None, 0)), in_axes=(0, None))(x, y)
