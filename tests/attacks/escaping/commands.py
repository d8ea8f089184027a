"""Runs commands: a shell, a subprocess, a spawn, an exec.

verdicts: AC
harm: file @FOLDER@/by_system
harm: file @FOLDER@/by_subprocess
harm: file @FOLDER@/by_spawn
harm: file @FOLDER@/by_popen
"""

import os
import subprocess

import jax
from jax.sharding import AxisType, PartitionSpec as P

for run in (
    lambda: os.system("touch @FOLDER@/by_system"),
    lambda: subprocess.run(["/usr/bin/touch", "@FOLDER@/by_subprocess"], check=False),
    lambda: os.posix_spawn("/usr/bin/touch", ["touch", "@FOLDER@/by_spawn"], {}),
    lambda: os.popen("touch @FOLDER@/by_popen").read(),
):
    try:
        run()
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
