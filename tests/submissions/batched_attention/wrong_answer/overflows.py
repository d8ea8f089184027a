# verdict: WA
# exp of the logits themselves.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    powers = jnp.exp(q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5)
    return powers / powers.sum(-1, keepdims=True) @ v
