"""Exponential moving average: a recurrence, run by lax.scan.

The carry is the average so far. The first row is x[0] itself; the scan makes the T − 1 others.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp


def exponential_moving_average(x: jax.Array, decay: jax.Array) -> jax.Array:
    """x (T, D), decay (), float32. Returns y (T, D): y[0] = x[0], y[t] = decay y[t-1] + (1 - decay) x[t]."""

    def step(average: jax.Array, row: jax.Array) -> tuple[jax.Array, jax.Array]:
        average = decay * average + (1 - decay) * row
        return average, average

    _, later = jax.lax.scan(step, x[0], x[1:])
    return jnp.concatenate([x[:1], later])
