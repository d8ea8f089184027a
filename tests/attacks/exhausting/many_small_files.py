"""Makes empty files without end, deep folders, and long names.

verdicts: RV WA RE TLE
harm: leak LEAKED
harm: seconds 11
options: --time-limit 10
"""

import os
import tempfile

import jax.numpy as jnp

made = 0
try:
    for index in range(1_000_000):
        os.close(os.open(os.path.join(tempfile.gettempdir(), f"{index}"), os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError:
    pass
if made > 100_000:
    print("LEAKED", made)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
