"""Traces a program of a million equations.

verdicts: TLE RE MLE RV WA
harm: seconds 5
options: --time-limit 4
"""


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    for _ in range(1_000_000):
        x = x + 1
    return {"out": x, "hidden": x}
