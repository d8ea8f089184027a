"""An all-reduce built from neighbours passing chunks on around a ring."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.ring_all_reduce.oracle import MISTAKES, oracle
from grader.rules.blocks import BlockShapes
from grader.rules.meshes import OneAxisMesh
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.rings import Chunks, Only, Ring, Steps

AXIS = "ring"

PROBLEM = Problem(
    id="ring_all_reduce",
    dimensions=(Dimension("N", (8, 16, 24, 32, 40, 48, 56, 64)),),
    inputs=(Input("x", (8, "N"), limit=1e6),),
    outputs=(Output("total", (8, "N"), alone=True),),
    oracle=oracle,
    question=Question(split=("x",)),
    rules=(
        StaysTraced(),
        OneAxisMesh(AXIS),
        BlockShapes({"x": (AXIS, None)}, id="row-blocks"),
        Only("ppermute", id="ppermute-only"),
        Ring(),
        Chunks("x", 1),
        Steps(14),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
    examples=8,
)
