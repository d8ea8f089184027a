"""Fills its scratch directory, which lies in memory (here: 4 GiB at most).

verdicts: RV WA RE MLE
harm: leak LEAKED
options: --memory-limit 512
"""

import tempfile

import jax.numpy as jnp

piece = b"x" * (16 << 20)
written = 0
try:
    for _ in range(256):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(piece)
            written += len(piece)
except OSError:
    pass
if written > 256 << 20:
    print("LEAKED", written)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
