"""Runs programs that give away privileges.

verdicts: AC
harm: leak LEAKED
"""

import glob
import os
import stat
import subprocess

import jax
from jax.sharding import AxisType, PartitionSpec as P

for path in glob.glob("/usr/bin/*") + glob.glob("/bin/*") + glob.glob("/usr/lib/*/*helper*"):
    try:
        if os.stat(path).st_mode & stat.S_ISUID:
            subprocess.run([path, "--version"], timeout=1, stdin=subprocess.DEVNULL, check=False)
            print("LEAKED", path)
    except (OSError, subprocess.SubprocessError):
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
