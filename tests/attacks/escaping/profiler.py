"""Lets JAX itself write files and open ports: a trace, a profiler server, a dump of compiled code.

verdicts: AC RE TLE
harm: file @FOLDER@/trace
harm: file @FOLDER@/memory
"""

import jax
from jax.sharding import AxisType, PartitionSpec as P

for reach in (
    lambda: jax.profiler.start_trace("@FOLDER@/trace"),
    lambda: jax.profiler.start_server(int("@PORT@")),
    lambda: jax.profiler.save_device_memory_profile("@FOLDER@/memory"),
    lambda: jax.profiler.stop_trace(),
):
    try:
        reach()
    except Exception:
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
