# verdict: AC
# The sum of the powers divides the result instead of the weights.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    logits = jnp.einsum("bte,bse->bts", q, k) * (1 / q.shape[-1] ** 0.5)
    powers = jnp.exp(logits - jax.lax.stop_gradient(logits.max(-1, keepdims=True)))
    return jnp.einsum("bts,bse->bte", powers, v) / powers.sum(-1)[..., None]
