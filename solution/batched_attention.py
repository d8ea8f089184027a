"""Scaled dot-product attention: written for one sequence, mapped over the batch.

vmap turns each product of matrices into one dot_general with a batch dimension; jax.nn.softmax takes the largest
logit of a row away before it takes powers, so nothing overflows.
"""

from __future__ import annotations

import math

import jax


def attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """One sequence: q, k, v (T, E). Returns (T, E)."""
    logits = q @ k.T / math.sqrt(q.shape[-1])
    return jax.nn.softmax(logits, axis=-1) @ v


def batched_attention(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """q, k, v (B, T, E), float32. Returns (B, T, E)."""
    return jax.vmap(attention)(q, k, v)
