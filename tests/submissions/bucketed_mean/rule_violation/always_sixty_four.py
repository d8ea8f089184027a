# verdict: RV
# rule: bucket-shapes
# One program for all: the kernel always gets 64 rows.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    mask = jnp.arange(64) < length
    return mask, jnp.where(mask[:, None], padded, 0).sum(0) / length


def bucketed_mean(x):
    n = x.shape[0]
    b = bucket_of(n)
    padded = jnp.pad(x, ((0, 64 - n), (0, 0)))
    mask, mean = kernel(padded, n)  # <- here
    return {"padded": padded[:b], "mask": mask[:b], "mean": mean}
