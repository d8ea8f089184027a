"""Opens every other family of socket: netlink, packet, vsock, raw, Bluetooth, SCTP.

verdicts: AC
harm: leak LEAKED
"""

import socket

import jax
from jax.sharding import AxisType, PartitionSpec as P

for family in range(1, 46):
    for kind in (1, 2, 3, 5, 10):
        try:
            socket.socket(family, kind)
            print("LEAKED", family, kind)
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
