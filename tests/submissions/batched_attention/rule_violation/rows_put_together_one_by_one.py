# verdict: RV
# rule: constant-program
# The products are batched; the entries of the result are copied out one by one.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    out = jax.nn.softmax(q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5) @ v
    return jnp.stack([out[b] for b in range(q.shape[0])])
