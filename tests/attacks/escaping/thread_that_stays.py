"""Leaves a thread that ignores every end.

verdicts: AC TLE
harm: process @TOKEN@
"""

import ctypes
import threading
import time

import jax
from jax.sharding import AxisType, PartitionSpec as P


def stay():
    ctypes.CDLL(None).prctl(15, b"@TOKEN@", 0, 0, 0)
    while True:
        try:
            time.sleep(120)
        except BaseException:
            pass


threading.Thread(target=stay).start()


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
