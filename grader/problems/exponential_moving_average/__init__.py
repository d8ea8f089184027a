"""Exponential moving average of a series: a recurrence, as a scan."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.exponential_moving_average.oracle import MISTAKES, oracle
from grader.rules.loops import Scan
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.sizes import ConstantProgram

PROBLEM = Problem(
    id="exponential_moving_average",
    dimensions=(Dimension("T", (1, 2, 3, 4, 5, 8, 12, 16)), Dimension("D", (1, 2, 3))),
    inputs=(Input("x", ("T", "D"), limit=1e6), Input("decay", (), range=(0.0, 1.0))),
    outputs=(Output("averaged", ("T", "D"), alone=True),),
    oracle=oracle,
    question=Question(),
    rules=(StaysTraced(), Scan("T", ("averaged",)), ConstantProgram(("T",)), NoCallbacks()),
    mistakes=MISTAKES,
    examples=8,
)
