# verdict: RV
# rule: bucket-shapes
# Nothing is under jit but the whole.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


def bucketed_mean(x):
    n = x.shape[0]
    b = bucket_of(n)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    return {"padded": padded, "mask": jnp.arange(b) < n, "mean": x.sum(0) / n}
