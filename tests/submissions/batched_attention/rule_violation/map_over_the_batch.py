# verdict: RV
# rule: no-loop
# also: batched-products
# jax.lax.map: one entry of the batch after the other.
import jax
import jax.numpy as jnp


def attention(qkv):
    q, k, v = qkv
    return jax.nn.softmax(q @ k.T / q.shape[-1] ** 0.5) @ v


def batched_attention(q, k, v):
    return jax.lax.map(attention, (q, k, v))  # <- here
