"""Starts workers the way libraries do: multiprocessing, a pool of processes.

verdicts: AC RE TLE
harm: file @FOLDER@/by_worker
options: --time-limit 6
"""

from concurrent.futures import ProcessPoolExecutor
import multiprocessing

import jax
from jax.sharding import AxisType, PartitionSpec as P


def harm(_):
    open("@FOLDER@/by_worker", "w").close()


for method in ("fork", "spawn", "forkserver"):
    try:
        worker = multiprocessing.get_context(method).Process(target=harm, args=(0,))
        worker.start()
        worker.join(2)
    except BaseException:
        pass
try:
    list(ProcessPoolExecutor(2).map(harm, range(2)))
except BaseException:
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
