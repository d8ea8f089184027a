# verdict: RV
# rule: constant-program
# also: batched-products
# One matmul an entry, in Python.
import jax
import jax.numpy as jnp


def batched_attention(q, k, v):
    out = []
    for b in range(q.shape[0]):
        out.append(jax.nn.softmax(q[b] @ k[b].T / q.shape[-1] ** 0.5) @ v[b])
    return jnp.stack(out)
