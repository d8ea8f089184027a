# verdict: RV
# rule: one-program-per-bucket
# also: bucket-shapes
# static_argnums: every length is compiled anew.
import functools
import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=1)
def kernel(padded, n):
    return padded[:n].mean(0)


def bucketed_mean(x):
    n = x.shape[0]
    b = next(b for b in (8, 16, 32, 64) if b >= n)
    padded = jnp.pad(x, ((0, b - n), (0, 0)))
    return {"padded": padded, "mask": jnp.arange(b) < n, "mean": kernel(padded, n)}
