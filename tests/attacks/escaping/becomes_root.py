"""Asks for every user and group, and for every capability.

verdicts: AC
harm: leak LEAKED
"""

import ctypes
import os

import jax
from jax.sharding import AxisType, PartitionSpec as P

for change in (os.setuid, os.setgid, os.seteuid, os.setegid):
    try:
        change(0)
        print("LEAKED", change)
    except OSError:
        pass
libc = ctypes.CDLL(None)
data = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
if libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), data) == 0:
    print("LEAKED capabilities")


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
