"""A learning-rate schedule of traced scalars: linear warmup, then cosine."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from grader.analysis.flow import Question
from grader.problem import Arrays, Input, Output, Problem
from grader.problems.learning_rate.oracle import MISTAKES, oracle
from grader.rules.equations import LOOPS, Forbids
from grader.rules.program import NoCallbacks, StaysTraced


def repair(inputs: Arrays) -> Mapping[str, np.ndarray]:
    """The schedule must be longer than its warmup."""
    warmup, total = inputs["warmup"], inputs["total"]
    return {**inputs, "total": np.where(total > warmup, total, warmup + 1)}


PROBLEM = Problem(
    id="learning_rate",
    dimensions=(),
    inputs=(
        Input("step", (), "int32", range=(0, 1_000_000), scale=60),
        Input("base", (), range=(0.0, 100.0)),
        Input("warmup", (), "int32", range=(0, 100_000), scale=20),
        Input("total", (), "int32", range=(1, 1_000_000), scale=60),
    ),
    outputs=(Output("rate", (), alone=True),),
    oracle=oracle,
    question=Question(),
    rules=(
        StaysTraced(),
        Forbids(LOOPS, "loop", "The rate is a formula of the step's number; choose by jnp.where.", id="no-loop"),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
    repair=repair,
    examples=600,
)
