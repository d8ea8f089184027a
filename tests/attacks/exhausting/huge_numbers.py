"""Works with numbers of a hundred million digits, and puts them where numbers are encoded.

verdicts: RE TLE MLE RV WA
harm: seconds 5
options: --time-limit 4
"""

import sys

sys.set_int_max_str_digits(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": x + 10 ** (10**8), "hidden": x * float("inf")}
