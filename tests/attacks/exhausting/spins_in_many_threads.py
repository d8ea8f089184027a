"""Keeps every processor busy from many threads.

verdicts: TLE RE
harm: seconds 4
options: --time-limit 3
"""

import hashlib
import threading

import jax.numpy as jnp


def spin():
    while True:
        hashlib.sha256(bytes(1 << 20)).digest()


for _ in range(16):
    threading.Thread(target=spin, daemon=True).start()
spin()


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
