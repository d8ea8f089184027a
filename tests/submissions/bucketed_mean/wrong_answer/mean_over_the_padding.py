# verdict: WA
# The padding counts.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    mask = jnp.arange(padded.shape[0]) < length
    return mask, jnp.where(mask[:, None], padded, 0).mean(0)


def bucketed_mean(x):
    n = x.shape[0]
    padded = jnp.pad(x, ((0, bucket_of(n) - n), (0, 0)))
    mask, mean = kernel(padded, n)
    return {"padded": padded, "mask": mask, "mean": mean}
