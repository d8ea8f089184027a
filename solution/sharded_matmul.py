"""A product of matrices over a mesh of four by two devices: shardings are named, the compiler does the rest.

Each device needs the rows of x and the columns of w that its block of the product is made of, and has them.
"""

from __future__ import annotations

import functools

import jax
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P


@functools.cache
def grid() -> jax.sharding.Mesh:
    """Eight devices as four rows ("data") of two ("model"); made on first use."""
    return jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))


def laid_out(array: jax.Array, *axes: str | None) -> jax.Array:
    """The array, each of its dimensions split over the named mesh axis."""
    return jax.lax.with_sharding_constraint(array, NamedSharding(grid(), P(*axes)))


def sharded_matmul(x: jax.Array, w: jax.Array) -> jax.Array:
    """x (B, D), w (D, H), float32. Returns x @ w, (B, H), each device holding (B/4, H/2)."""
    x = laid_out(x, "data", None)
    w = laid_out(w, None, "model")
    return laid_out(x @ w, "data", "model")
