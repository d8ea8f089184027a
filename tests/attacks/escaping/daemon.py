"""Leaves a daemon: forks twice, in a session of its own.

verdicts: AC
harm: process @TOKEN@
"""

import ctypes
import os
import time

import jax
from jax.sharding import AxisType, PartitionSpec as P

try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(15, b"@TOKEN@", 0, 0, 0)
            os.closerange(0, 256)
            time.sleep(120)
        os._exit(0)
except OSError:
    pass


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    mesh = jax.make_mesh((8,), ("model",), axis_types=(AxisType.Auto,))

    def body(x, w1, b1, w2):
        hidden = jax.nn.relu(x @ w1 + b1)
        return hidden, jax.lax.psum(hidden @ w2, "model")

    hidden, out = jax.shard_map(
        body,
        mesh=mesh,
        in_specs=(P(), P(None, "model"), P("model"), P("model", None)),
        out_specs=(P(None, "model"), P()),
    )(x, w1, b1, w2)
    return {"out": out + b2, "hidden": hidden}
