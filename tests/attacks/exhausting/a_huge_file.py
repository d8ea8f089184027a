"""Makes a sparse file of a terabyte, and a long one.

verdicts: RE
harm: leak LEAKED
options: --time-limit 3
"""

import tempfile

import jax.numpy as jnp

with tempfile.NamedTemporaryFile() as file:
    file.truncate(1 << 40)
    print("LEAKED")


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
