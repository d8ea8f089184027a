"""Linear warmup and a cosine, of traced scalars: both parts are computed, and jnp.where picks one.

The divisions are kept from 0/0 although the part that would divide by zero is never picked: its gradient would be.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def learning_rate(step: jax.Array, base: jax.Array, warmup: jax.Array, total: jax.Array) -> jax.Array:
    """step, warmup, total int32, base float32, all (). Returns the rate at ``step``, float32, ()."""
    rising = base * step / jnp.maximum(warmup, 1)
    along = (step - warmup) / jnp.maximum(total - warmup, 1)
    falling = base * 0.5 * (1 + jnp.cos(jnp.pi * along))
    return jnp.where(step < warmup, rising, jnp.where(step < total, falling, 0.0))
