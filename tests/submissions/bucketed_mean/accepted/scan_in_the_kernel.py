# verdict: AC
# The kernel adds the rows up one by one.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    def add(total, row):
        i, r = row
        return total + jnp.where(i < length, r, 0.0), i < length
    total, mask = jax.lax.scan(add, jnp.zeros(padded.shape[1]), (jnp.arange(padded.shape[0]), padded))
    return total / length, mask


def bucketed_mean(x):
    n = x.shape[0]
    padded = jnp.pad(x, ((0, bucket_of(n) - n), (0, 0)))
    mean, mask = kernel(padded, n)
    return {"padded": padded, "mask": mask, "mean": mean}
