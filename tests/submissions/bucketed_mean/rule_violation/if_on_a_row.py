# verdict: RV
# rule: stays-traced
# Padding is found by looking at the rows.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    if (padded[-1] == 0).all():  # <- here
        length = length + 0
    return padded.sum(0) / length


def bucketed_mean(x):
    n = x.shape[0]
    b = bucket_of(n)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    return {"padded": padded, "mask": jnp.arange(b) < n, "mean": kernel(padded, n)}
