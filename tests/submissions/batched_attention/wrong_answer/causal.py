# verdict: WA
# Later positions are masked.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    t = q.shape[1]
    logits = q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5
    logits = jnp.where(jnp.tril(jnp.ones((t, t), bool)), logits, -jnp.inf)
    return jax.nn.softmax(logits) @ v
