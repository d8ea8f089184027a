# verdict: RV
# rule: no-callbacks
# The softmax is computed by NumPy.
import jax
import jax.numpy as jnp
import numpy as np


def softmax(z):
    p = np.exp(z - z.max(-1, keepdims=True))
    return (p / p.sum(-1, keepdims=True)).astype(np.float32)


def batched_attention(q, k, v):
    logits = q @ k.swapaxes(1, 2) / q.shape[-1] ** 0.5
    weights = jax.pure_callback(softmax, jax.ShapeDtypeStruct(logits.shape, logits.dtype), logits)  # <- here
    return weights @ v
