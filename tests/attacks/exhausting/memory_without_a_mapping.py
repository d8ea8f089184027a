"""Hides memory where no process maps it: in anonymous files, pipes and socket buffers (here: 4 GiB).

verdicts: RV WA RE MLE
harm: leak LEAKED
options: --memory-limit 512
"""

import os
import socket

import jax.numpy as jnp

piece = b"x" * (16 << 20)
for _ in range(64):
    try:
        descriptor = os.memfd_create("hidden")
        for _ in range(4):
            os.write(descriptor, piece)
        print("LEAKED")
    except OSError:
        break


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
