"""Leaves System V shared memory and a POSIX object behind, for the next submission to find.

verdicts: AC
harm: shared-memory @KEY@
harm: file /dev/shm/@TOKEN@
"""

import ctypes

import jax
from jax.sharding import AxisType, PartitionSpec as P

ctypes.CDLL(None).shmget(int("@KEY@"), 1 << 20, 0o1000 | 0o666)
try:
    open("/dev/shm/@TOKEN@", "w").write("a message")
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
