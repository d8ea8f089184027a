# verdict: RV
# rule: bucket-shapes
# The kernel adds up; the division is outside.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    return jnp.where((jnp.arange(padded.shape[0]) < length)[:, None], padded, 0).sum(0)


def bucketed_mean(x):
    n = x.shape[0]
    b = bucket_of(n)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    return {"padded": padded, "mask": jnp.arange(b) < n, "mean": kernel(padded, n) / n}
