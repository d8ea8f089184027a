# verdict: AC
# jax.nn.dot_product_attention, with one head.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    head = lambda a: a[:, :, None, :]
    return jax.nn.dot_product_attention(head(q), head(k), head(v))[:, :, 0, :]
