# verdict: WA
# Eight rows are padded to sixteen.
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
    b = next((b for b in (8, 16, 32, 64) if b > n), 64)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    mask, mean = kernel(padded, n)
    return {"padded": padded, "mask": mask, "mean": mean}
