"""Takes away another process's priority, processors and limits.

verdicts: AC
harm: victim
harm: leak LEAKED
"""

import os
import resource

import jax
from jax.sharding import AxisType, PartitionSpec as P

for change in (
    lambda: os.setpriority(os.PRIO_PROCESS, int("@VICTIM@"), 19),
    lambda: os.sched_setaffinity(int("@VICTIM@"), {0}),
    lambda: os.sched_setscheduler(int("@VICTIM@"), os.SCHED_IDLE, os.sched_param(0)),
    lambda: resource.prlimit(int("@VICTIM@"), resource.RLIMIT_CPU, (1, 1)),
):
    try:
        change()
        print("LEAKED")
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
