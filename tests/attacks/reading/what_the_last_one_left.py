"""Looks for what an earlier submission may have left: temporary files, shared memory, caches.

verdicts: AC
harm: leak LEAKED
"""

import glob
import os

import jax
from jax.sharding import AxisType, PartitionSpec as P

for pattern in (
    "/tmp/*",
    "/tmp/.*",
    "/var/tmp/*",
    "/dev/shm/*",
    "/run/*",
    os.path.expanduser("~/*"),
    os.path.expanduser("~/.cache/*"),
):
    for path in glob.glob(pattern):
        print("LEAKED", path)


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
