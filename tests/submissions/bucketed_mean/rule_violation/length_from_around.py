# verdict: RV
# rule: one-program-per-bucket
# The kernel takes a number, and divides by the Python length from around it.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


def bucketed_mean(x):
    n = x.shape[0]
    b = bucket_of(n)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    @jax.jit
    def kernel(padded, length):
        mask = jnp.arange(b) < length
        return mask, jnp.where(mask[:, None], padded, 0).sum(0) / n
    mask, mean = kernel(padded, n)  # <- here
    return {"padded": padded, "mask": mask, "mean": mean}
