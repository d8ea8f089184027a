"""Takes memory without end (here: 6 GiB, so that a machine without the limit survives).

verdicts: MLE RE
options: --memory-limit 512
"""

import jax.numpy as jnp

held = []
for _ in range(96):
    held.append(b"x" * (64 << 20))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
