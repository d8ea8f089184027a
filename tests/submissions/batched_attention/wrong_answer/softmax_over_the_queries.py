# verdict: WA
# The wrong axis.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    return jax.nn.softmax(q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5, axis=1) @ v
