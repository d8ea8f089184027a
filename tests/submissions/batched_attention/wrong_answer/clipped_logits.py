# verdict: WA
# Logits are clipped at 50 instead of shifted.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    powers = jnp.exp(jnp.clip(q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5, -50, 50))
    return powers / powers.sum(-1, keepdims=True) @ v
