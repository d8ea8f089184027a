"""A product of matrices laid out over a two-dimensional mesh, without shard_map."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.sharded_matmul.oracle import MISTAKES, oracle
from grader.rules.equations import Forbids
from grader.rules.layouts import COLLECTIVES, InputsLaidOut, NamedMesh, ResultSharding
from grader.rules.program import NoCallbacks, StaysTraced

PROBLEM = Problem(
    id="sharded_matmul",
    dimensions=(Dimension("B", (4, 8, 12)), Dimension("D", (1, 2, 3, 4, 5)), Dimension("H", (2, 4, 6))),
    inputs=(Input("x", ("B", "D")), Input("w", ("D", "H"))),
    outputs=(Output("product", ("B", "H"), alone=True),),
    oracle=oracle,
    question=Question(),
    rules=(
        StaysTraced(),
        NamedMesh(("data", "model"), (4, 2)),
        InputsLaidOut((("x", ("data", None)), ("w", (None, "model")))),
        ResultSharding("product", ("data", "model"), (4, 2)),
        Forbids(
            ("shard_map", *COLLECTIVES),
            "shard_map or collective",
            "Say how arrays are laid out, and leave it to the compiler to split the product.",
            id="no-shard-map",
        ),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
)
