# verdict: WA
# Products in bfloat16.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    low = lambda a: a.astype(jnp.bfloat16)
    logits = (low(q) @ low(k).swapaxes(1, 2)).astype(jnp.float32) / q.shape[-1] ** 0.5
    return jax.nn.softmax(logits) @ v
