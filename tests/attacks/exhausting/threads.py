"""A thread bomb (here: at most 1000 threads).

verdicts: RE TLE MLE
harm: leak LEAKED
harm: seconds 4
options: --time-limit 3
"""

import threading
import time

import jax.numpy as jnp

for _ in range(1000):
    threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
print("LEAKED: a thousand threads")


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
