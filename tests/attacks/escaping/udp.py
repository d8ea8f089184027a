"""Sends a datagram to a service on this machine, as a name lookup would.

verdicts: AC
harm: connection udp
"""

import socket

import jax
from jax.sharding import AxisType, PartitionSpec as P

try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"harm", ("127.0.0.1", int("@UDP@")))
    socket.getaddrinfo("localhost", 80)
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
