"""The Hessian of a logistic loss times a vector, without the Hessian."""

from __future__ import annotations

from grader.analysis.flow import Question
from grader.problem import Dimension, Input, Output, Problem
from grader.problems.hessian_vector_product.oracle import MISTAKES, oracle
from grader.rules.equations import LargestValue
from grader.rules.program import NoCallbacks, StaysTraced
from grader.rules.sizes import ConstantProgram

# D is prime and larger than N: only what has two axes of D has a multiple of D·D elements.
PROBLEM = Problem(
    id="hessian_vector_product",
    dimensions=(Dimension("D", (7, 11, 13)), Dimension("N", (1, 2, 3, 4, 5, 6))),
    inputs=(
        Input("w", ("D",), limit=1e3),
        Input("v", ("D",), limit=1e3),
        Input("x", ("N", "D"), limit=1e3),
        Input("y", ("N",), choices=(-1.0, 1.0)),
    ),
    outputs=(Output("product", ("D",), alone=True),),
    oracle=oracle,
    question=Question(),
    rules=(
        StaysTraced(),
        LargestValue(
            ("D", "D"),
            "the Hessian",
            "Differentiate along v instead: jax.jvp of jax.grad(loss) gives H(w) v in one pass.",
            id="no-hessian",
        ),
        ConstantProgram(("D", "N")),
        NoCallbacks(),
    ),
    mistakes=MISTAKES,
    examples=16,
)
