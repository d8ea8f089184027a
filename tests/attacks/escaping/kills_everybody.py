"""Kills its parent and a process of the same user.

(Not every process there is: this machine must survive a jail that failed.)

verdicts: AC RE
harm: victim
"""

import os
import signal

import jax
from jax.sharding import AxisType, PartitionSpec as P

for pid in (int("@VICTIM@"), os.getppid()):
    if pid not in (os.getpid(),):
        try:
            os.kill(pid, signal.SIGKILL)
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
