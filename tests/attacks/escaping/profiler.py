"""Lets JAX itself write files and open ports: a trace, a profiler server, a dump of compiled code.

verdicts: RE TLE
harm: file @FOLDER@/trace
harm: file @FOLDER@/memory
"""

import jax

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

raise RuntimeError("the attack is over")
