"""Imports the problem's declaration and its oracle from the judge's package.

verdicts: RE
harm: leak LEAKED
"""

import importlib

for name in (
    "grader.problems.tensor_parallel_mlp",
    "grader.problems.tensor_parallel_mlp.oracle",
    "grader.problems",
    "grader.cases",
):
    try:
        print("LEAKED", vars(importlib.import_module(name)).keys())
    except ImportError:
        pass

raise RuntimeError("the attack is over")
