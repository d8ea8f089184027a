"""Raises an exception whose text never comes to an end.

verdicts: TLE RE
harm: seconds 3
options: --time-limit 2
"""


class Endless(Exception):
    def __str__(self):
        while True:
            pass


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    raise Endless
