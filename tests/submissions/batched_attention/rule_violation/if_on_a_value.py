# verdict: RV
# rule: stays-traced
# A Python if on a traced value.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    logits = q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5
    if jnp.abs(logits).max() > 50:  # <- here
        logits = logits - logits.max(-1, keepdims=True)
    powers = jnp.exp(logits)
    return powers / powers.sum(-1, keepdims=True) @ v
