"""The mean of rows whose number varies, padded to few lengths so that few programs are compiled."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Derived, Dimension, Input, Output, Problem
from grader.problems.bucketed_mean.oracle import BUCKETS, MISTAKES, bucket, oracle
from grader.rules.buckets import BucketShapes, OneProgramPerBucket
from grader.rules.program import NoCallbacks, StaysTraced

BUCKET = Derived("bucket", bucket, BUCKETS)

PROBLEM = Problem(
    id="bucketed_mean",
    dimensions=(Dimension("L", tuple(range(1, 65))), Dimension("D", (1, 2, 3, 4))),
    inputs=(Input("x", ("L", "D")),),
    outputs=(Output("padded", (BUCKET, "D")), Output("mask", (BUCKET,), "bool"), Output("mean", ("D",))),
    oracle=oracle,
    question=Question(),
    rules=(
        StaysTraced(),
        BucketShapes("mean", "padded", "D"),
        OneProgramPerBucket("mean", "padded", "L"),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
)
