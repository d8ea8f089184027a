"""Takes memory in shared anonymous mappings, which no private counter shows (here: 4 GiB).

verdicts: MLE RE
options: --memory-limit 512
"""

import mmap

import jax.numpy as jnp

held = []
for _ in range(64):
    held.append(mmap.mmap(-1, 64 << 20))
    held[-1].write(b"x" * (64 << 20))


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
