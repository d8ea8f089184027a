"""One step of gradient descent with the batch split over eight devices."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.data_parallel_step.oracle import MISTAKES, oracle
from grader.rules.blocks import BlockShapes, StaysSplit
from grader.rules.meshes import OneAxisMesh
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.reduction import ReducedByPsum
from grader.rules.results import Replicated

AXIS = "data"
BLOCKS = {"x": (AXIS, None), "y": (AXIS,)}
PARTS = (("x",), ("y",))
"""What each device's part of the loss and of every gradient is made of: its own x and its own y."""

PROBLEM = Problem(
    id="data_parallel_step",
    dimensions=(Dimension("B", (8, 16, 24, 32)), Dimension("D", (1, 2, 3, 4, 5))),
    inputs=(
        Input("w", ("D",), limit=1e6),
        Input("b", (), limit=1e6),
        Input("x", ("B", "D"), limit=1e6),
        Input("y", ("B",), limit=1e6),
        Input("lr", (), limit=1e6),
    ),
    outputs=(Output("w", ("D",)), Output("b", ()), Output("loss", ())),
    oracle=oracle,
    question=Question(split=tuple(BLOCKS), terms=PARTS, returns=True),
    rules=(
        StaysTraced(),
        OneAxisMesh(AXIS),
        BlockShapes(BLOCKS, whole=("w", "b"), id="batch-blocks"),
        StaysSplit(BLOCKS, id="batch-stays-split", once=False),
        ReducedByPsum("loss", PARTS, tuple(BLOCKS), AXIS, further=("w", "b")),
        Replicated("loss", id="out-replicated", further=("w", "b")),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
    examples=6,
)
