"""The largest singular value of a matrix by power iteration."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grader.analysis.flow import Question
from grader.problem import Arrays, Dimension, Input, Output, Problem
from grader.problems.spectral_norm.oracle import MISTAKES, SMALLEST, oracle
from grader.rules.equations import FACTORISATIONS, Forbids
from grader.rules.loops import LoopWithProducts
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.sizes import ConstantProgram


def repair(inputs: Arrays) -> Mapping[str, np.ndarray]:
    """Numbers too small for their squares to count are zero."""
    return {name: np.where(np.abs(array) < SMALLEST, 0, array) for name, array in inputs.items()}


PROBLEM = Problem(
    id="spectral_norm",
    dimensions=(Dimension("M", (1, 2, 3, 4)), Dimension("N", (1, 2, 3, 5))),
    inputs=(Input("w", ("M", "N"), limit=1e4), Input("u", ("M",), limit=1e4)),
    outputs=(Output("sigma", ()), Output("u", ("M",)), Output("v", ("N",))),
    oracle=oracle,
    question=Question(),
    rules=(
        StaysTraced(),
        LoopWithProducts(("M", "N"), "w", ("sigma", "u", "v")),
        Forbids(
            FACTORISATIONS,
            "factorisation",
            "Power iteration needs products by w only.",
            id="no-factorisation",
        ),
        ConstantProgram(("M", "N")),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
    repair=repair,
    examples=12,
)
