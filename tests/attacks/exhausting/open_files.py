"""Opens files without end.

verdicts: RE
options: --time-limit 3
"""

import jax.numpy as jnp

held = []
for _ in range(100_000):
    held.append(open("/dev/null"))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
