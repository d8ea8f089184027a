"""Recurses without end, in Python and in C.

verdicts: RE MLE TLE
harm: seconds 7
options: --time-limit 6
"""

import sys

sys.setrecursionlimit(10**9)


class Deep:
    def __repr__(self):
        return repr([self, Deep()])


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": repr(Deep()), "hidden": x}
