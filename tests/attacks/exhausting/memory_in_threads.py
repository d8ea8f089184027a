"""Takes memory in many threads and in C, in small pieces.

verdicts: MLE RE
options: --memory-limit 512
"""

import threading

import jax.numpy as jnp
import numpy as np

held = []


def take():
    for _ in range(100):
        held.append(np.ones(1 << 20))


threads = [threading.Thread(target=take) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
