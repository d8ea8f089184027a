# verdict: RV
# rule: batched-products
# One product of everything with everything, and a mask: B times the work.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    b, t, e = q.shape
    flat = lambda a: a.reshape(b * t, e)
    owner = jnp.repeat(jnp.arange(b), t)
    logits = flat(q) @ flat(k).T / e ** 0.5
    logits = jnp.where(owner[:, None] == owner, logits, -jnp.inf)
    return (jax.nn.softmax(logits) @ flat(v)).reshape(b, t, e)
