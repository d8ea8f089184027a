"""The average of gradients that are clipped one by one, as private training needs it."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.clipped_gradient.oracle import MISTAKES, oracle
from grader.rules.equations import LOOPS, Forbids
from grader.rules.pairs import OneForEach
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.sizes import ConstantProgram

PROBLEM = Problem(
    id="clipped_gradient",
    dimensions=(Dimension("B", (1, 2, 3, 4, 5, 6)), Dimension("D", (1, 2, 3, 4, 5))),
    inputs=(
        Input("w", ("D",), limit=1e4),
        Input("x", ("B", "D"), limit=1e4),
        Input("y", ("B",), limit=1e4),
        Input("clip", (), range=(1e-3, 1e4)),
    ),
    outputs=(Output("gradient", ("D",), alone=True),),
    oracle=oracle,
    question=Question(values=True),
    rules=(
        StaysTraced(),
        OneForEach(
            ("B", "D"),
            "x",
            ("w", "x", "y"),
            "gradients of single examples",
            "Map the gradient of one example's loss over the examples: jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)).",
            id="per-example",
        ),
        Forbids(LOOPS, "loop", "Use jax.vmap, or products with an axis for the examples.", id="no-loop"),
        ConstantProgram(("B",)),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
    examples=8,
)
