"""The largest singular value of a matrix by power iteration: 50 rounds of a fori_loop.

A vector is divided by its norm only where that is not zero, so a zero matrix gives zeros.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

ITERATIONS = 50


def unit(x: jax.Array) -> jax.Array:
    """x divided by its norm; zeros where that is zero."""
    norm = jnp.sqrt(jnp.sum(x**2))
    return jnp.where(norm > 0, x / norm, 0.0)


def spectral_norm(w: jax.Array, u: jax.Array) -> dict[str, jax.Array]:
    """w (M, N), u (M,), float32. Returns sigma (), u (M,) and v (N,) after 50 iterations."""

    def iteration(_: int, vectors: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        u, _ = vectors
        v = unit(w.T @ u)
        return unit(w @ v), v

    u, v = jax.lax.fori_loop(0, ITERATIONS, iteration, (u, jnp.zeros(w.shape[1])))
    return {"sigma": u @ (w @ v), "u": u, "v": v}
