"""Traces a loop that never ends: quick to trace, endless to run.

verdicts: TLE RV WA RE
harm: seconds 7
options: --time-limit 6
"""

import jax


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x = jax.lax.while_loop(lambda x: True, lambda x: x + 1, x)
    return {"out": x, "hidden": x}
