# verdict: AC
# vmap twice: over the batch, and over the queries of a sequence.
import jax
import jax.numpy as jnp


def one_query(q, k, v):
    logits = k @ q / jnp.sqrt(q.size)
    return jax.nn.softmax(logits) @ v


def batched_attention(q, k, v):
    return jax.vmap(jax.vmap(one_query, in_axes=(0, None, None)))(q, k, v)
