# verdict: AC
# Two einsums, the softmax spelt out.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    logits = jnp.einsum("bte,bse->bts", q, k) / jnp.sqrt(jnp.float32(q.shape[-1]))
    powers = jnp.exp(logits - logits.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return jnp.einsum("bts,bse->bte", weights, v)
