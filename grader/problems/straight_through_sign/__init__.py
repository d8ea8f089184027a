"""The sign function with a gradient written by hand."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Gradient, Input, Output, Problem
from grader.problems.straight_through_sign.oracle import MISTAKES, oracle
from grader.rules.equations import CustomVjp
from grader.rules.program import NoCallbacks, StaysTraced

PROBLEM = Problem(
    id="straight_through_sign",
    dimensions=(Dimension("N", (1, 2, 3, 5, 8)),),
    inputs=(Input("x", ("N",)), Input("weights", ("N",))),
    outputs=(Output("sign", ("N",), alone=True), Output("gradient", ("N",))),
    oracle=oracle,
    question=Question(),
    rules=(StaysTraced(), CustomVjp("sign"), NoCallbacks()),
    mistakes=MISTAKES,
    gradient=Gradient(of="gradient", weights="weights"),
    examples=32,
)
