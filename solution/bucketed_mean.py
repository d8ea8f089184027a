"""The mean of a varying number of rows, padded to a bucket: one program a bucket serves all lengths.

The padding is done where the length is a Python number; the kernel gets the length as an argument, so that it is
traced and no part of the kernel's program.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

BUCKETS = (8, 16, 32, 64)


@jax.jit
def masked_mean(padded: jax.Array, length: jax.Array | int) -> tuple[jax.Array, jax.Array]:
    """padded (bucket, D), length (). Returns the mask (bucket,) and the mean of the first ``length`` rows, (D,)."""
    mask = jnp.arange(padded.shape[0]) < length
    return mask, jnp.where(mask[:, None], padded, 0.0).sum(axis=0) / length


def bucketed_mean(x: jax.Array) -> dict[str, jax.Array]:
    """x (L, D), float32, 1 ≤ L ≤ 64. Returns padded (bucket, D), mask (bucket,) and mean (D,)."""
    length = x.shape[0]
    bucket = next(each for each in BUCKETS if each >= length)
    padded = jnp.pad(x, ((0, bucket - length), (0, 0)))
    mask, mean = masked_mean(padded, length)
    return {"padded": padded, "mask": mask, "mean": mean}
