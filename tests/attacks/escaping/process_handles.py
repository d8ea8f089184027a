"""Signals another process, and takes its descriptors, through a process handle.

verdicts: AC
harm: victim
harm: leak LEAKED
"""

import ctypes
import os

import jax
from jax.sharding import AxisType, PartitionSpec as P

libc = ctypes.CDLL(None)
handle = libc.syscall(434, int("@VICTIM@"), 0)
if handle >= 0:
    libc.syscall(424, handle, 9, 0, 0)
    print("LEAKED", libc.syscall(438, handle, 0, 0))


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
