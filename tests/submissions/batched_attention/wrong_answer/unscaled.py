# verdict: WA
# No square root of E.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    return jax.nn.softmax(q @ k.swapaxes(1, 2)) @ v
