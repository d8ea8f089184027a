# verdict: AC
# Weights as exp of log_softmax, dot_general by hand, the batch in the middle on the way.
from jax import lax
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    logits = lax.dot_general(q, k, (((2,), (2,)), ((0,), (0,)))) / jnp.sqrt(1.0 * q.shape[2])
    weights = jnp.exp(jax.nn.log_softmax(logits, axis=2))
    return lax.dot_general(weights, v, (((2,), (1,)), ((0,), (0,))))
