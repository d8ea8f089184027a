"""Scaled dot-product attention, for each entry of a batch."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.batched_attention.oracle import MISTAKES, oracle
from grader.rules.equations import LOOPS, BatchedProducts, Forbids
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.sizes import ConstantProgram

PROBLEM = Problem(
    id="batched_attention",
    dimensions=(
        Dimension("B", (1, 2, 3, 4, 6)),
        Dimension("T", (1, 2, 3, 5)),
        Dimension("E", (1, 2, 4, 5)),
    ),
    inputs=tuple(Input(name, ("B", "T", "E"), limit=1e4) for name in ("q", "k", "v")),
    outputs=(Output("attended", ("B", "T", "E"), alone=True),),
    oracle=oracle,
    question=Question(),
    rules=(
        StaysTraced(),
        BatchedProducts("B", ("attended",)),
        Forbids(LOOPS, "loop", "Use jax.vmap, or products with a batch dimension.", id="no-loop"),
        ConstantProgram(("B",)),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
)
