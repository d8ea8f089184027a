# verdict: AC
# jnp.mean with a mask made from the traced length, inside.
import jax
import jax.numpy as jnp


def bucket_of(n):
    return 8 if n <= 8 else 16 if n <= 16 else 32 if n <= 32 else 64


@jax.jit
def kernel(padded, length):
    mask = jax.lax.broadcasted_iota(jnp.int32, (padded.shape[0],), 0) < length
    return mask, jnp.mean(padded, axis=0, where=mask[:, None])


def bucketed_mean(x):
    n = len(x)
    padded = jax.lax.pad(x, jnp.float32(0), ((0, bucket_of(n) - n, 0), (0, 0, 0)))
    mask, mean = kernel(padded, n)
    return {"mean": mean, "mask": mask, "padded": padded}
