# verdict: AC
# mask @ padded, the mask handed in, the length as a float.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, mask, length):
    return mask.astype(padded.dtype) @ padded / length


def bucketed_mean(x):
    n, b = x.shape[0], bucket_of(x.shape[0])
    padded = jnp.concatenate([x, jnp.zeros((b - n, x.shape[1]), x.dtype)])
    mask = jnp.arange(b) < n
    return {"padded": padded, "mask": mask, "mean": kernel(padded, mask, jnp.float32(n))}
