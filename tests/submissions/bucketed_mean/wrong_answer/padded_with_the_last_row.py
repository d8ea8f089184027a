# verdict: WA
# The last row is repeated.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    mask = jnp.arange(padded.shape[0]) < length
    return mask, jnp.where(mask[:, None], padded, 0).sum(0) / length


def bucketed_mean(x):
    n = x.shape[0]
    padded = jnp.pad(x, ((0, bucket_of(n) - n), (0, 0)), mode="edge")
    mask, mean = kernel(padded, n)
    return {"padded": padded, "mask": mask, "mean": mean}
