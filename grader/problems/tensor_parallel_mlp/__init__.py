"""A two-layer MLP split over eight devices: what its programs must be like, and its numbers."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.tensor_parallel_mlp.oracle import MISTAKES, oracle
from grader.rules.blocks import BlockShapes, StaysSplit
from grader.rules.meshes import OneAxisMesh
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.reduction import AddedOnce, ReducedByPsum
from grader.rules.results import OwnBlocks, Replicated

AXIS = "model"
BLOCKS = {"w1": (None, AXIS), "b1": (AXIS,), "w2": (AXIS, None)}
SPLIT = tuple(BLOCKS)
PARTS = (("w2",), ("w1", "b1"))
"""What each device's partial product is made of: its rows of w2, and a hidden block made of its w1 or b1."""

PROBLEM = Problem(
    id="tensor_parallel_mlp",
    dimensions=(
        Dimension("B", (1, 2, 3, 4)),
        Dimension("D", (1, 2, 3, 4, 5)),
        Dimension("H", (8, 16, 24, 32)),
        Dimension("O", (1, 2, 3, 4)),
    ),
    inputs=(
        Input("x", ("B", "D")),
        Input("w1", ("D", "H")),
        Input("b1", ("H",)),
        Input("w2", ("H", "O")),
        Input("b2", ("O",)),
    ),
    outputs=(Output("out", ("B", "O")), Output("hidden", ("B", "H"))),
    oracle=oracle,
    question=Question(split=SPLIT, terms=PARTS, added="b2"),
    rules=(
        StaysTraced(),
        OneAxisMesh(AXIS),
        BlockShapes(BLOCKS, whole=("x",), id="weight-blocks"),
        StaysSplit(BLOCKS, id="weights-stay-split"),
        ReducedByPsum("out", PARTS, SPLIT, AXIS, linear=("w2", 0)),
        Replicated("out", id="out-replicated"),
        OwnBlocks("hidden", (None, AXIS), id="hidden-split"),
        AddedOnce("b2", "out", SPLIT, AXIS, id="b2-once"),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
)
