"""Computes for ever inside one call, out of Python's reach.

verdicts: TLE
harm: seconds 4
options: --time-limit 3
"""


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return sum(range(10**18))
