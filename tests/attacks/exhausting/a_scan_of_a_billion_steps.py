"""Traces a loop of 10^9 steps.

verdicts: TLE RV WA RE
harm: seconds 7
options: --time-limit 6
"""

import jax


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    x, _ = jax.lax.scan(lambda x, _: (x + 1, None), x, length=1_000_000_000)
    return {"out": x, "hidden": x}
