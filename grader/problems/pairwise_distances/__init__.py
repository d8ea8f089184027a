"""Euclidean distances between all pairs of points of two sets."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.pairwise_distances.oracle import MISTAKES, oracle
from grader.rules.equations import LOOPS, Forbids
from grader.rules.pairs import Differences
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.sizes import ConstantProgram

PROBLEM = Problem(
    id="pairwise_distances",
    dimensions=(
        Dimension("N", (1, 2, 3, 4, 5, 6)),
        Dimension("M", (1, 2, 3, 4, 5, 6)),
        Dimension("D", (1, 2, 3, 4)),
    ),
    inputs=(Input("x", ("N", "D"), limit=1e6), Input("y", ("M", "D"), limit=1e6)),
    outputs=(Output("distances", ("N", "M"), alone=True),),
    oracle=oracle,
    question=Question(values=True),
    rules=(
        StaysTraced(),
        Differences("x", "y"),
        Forbids(LOOPS, "loop", "Use jax.vmap twice, or broadcasting.", id="no-loop"),
        ConstantProgram(("N", "M")),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
)
