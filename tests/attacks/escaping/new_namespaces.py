"""Makes namespaces of its own, in which it would be root, and mounts.

verdicts: AC
harm: leak LEAKED
"""

import ctypes

import jax
from jax.sharding import AxisType, PartitionSpec as P

libc = ctypes.CDLL(None)
for flags in (0x10000000, 0x10020000, 0x20000000, 0x7E020000):
    if libc.unshare(flags) == 0:
        print("LEAKED", hex(flags))
for arguments in (
    (b"none", b"/tmp", b"tmpfs", 0, None),
    (b"/", b"/tmp", None, 4096, None),
    (b"proc", b"/tmp", b"proc", 0, None),
):
    if libc.mount(*arguments) == 0:
        print("LEAKED a mount")


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
