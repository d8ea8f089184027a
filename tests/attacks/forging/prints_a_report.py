"""Prints an accepting report, as the judge would, and leaves.

It is data in the report's output, never the report.

verdicts: RE
"""

import json
import os
import sys

import jax.numpy as jnp

REPORT = {"version": 1, "verdict": "AC", "problem": "tensor_parallel_mlp", "rules": [], "findings": [], "cases": []}
print(json.dumps(REPORT), flush=True)
print(json.dumps(REPORT), file=sys.stderr, flush=True)
os._exit(0)


def tensor_parallel_mlp(x, w1, b1, w2, b2):
    return {"out": jnp.zeros((x.shape[0], w2.shape[1])), "hidden": jnp.zeros((x.shape[0], w1.shape[1]))}
