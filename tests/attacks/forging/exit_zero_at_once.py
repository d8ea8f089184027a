"""Ends the process with status 0 while being traced, past every handler.

verdicts: RE
"""

import os


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    os._exit(0)
