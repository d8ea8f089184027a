# verdict: RV
# rule: no-loop
# A fori_loop of one round around what would be right without it.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    def once(i, out):
        return out + jax.nn.softmax(q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5) @ v
    return jax.lax.fori_loop(0, 1, once, jnp.zeros_like(q))  # <- here
