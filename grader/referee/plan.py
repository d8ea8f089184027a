"""Which shapes the tracer is asked for; supervisor and referee both compute it, and get the same list.

A request's number is its place in this list.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from grader.problem import Problem
from grader.rules.base import SizesRule
from grader.rules.sizes import SMALL

QUICK_SHAPES = 24
"""How many shapes `--quick` takes: enough for every size of every dimension to occur several times."""
WHOLE_DOMAIN = 1_000
"""A finite domain of up to so many shapes is covered whole; of a larger one this many are sampled."""


def requests(
    problem: Problem, case_shapes: Sequence[dict[str, int]], *, quick: bool, cases_only: bool
) -> list[dict[str, int]]:
    """The shapes to trace, the cases' own first (XLA compiles those while the others are traced)."""
    ordered = list(case_shapes)
    if not cases_only:
        ordered += sample(problem, QUICK_SHAPES if quick else WHOLE_DOMAIN)
    unique = {tuple(sorted(shape.items())): shape for shape in ordered}
    return list(unique.values())


def sample(problem: Problem, most: int) -> list[dict[str, int]]:
    """The whole domain, smallest shapes first, or ``most`` of it: both ends and a fixed choice between."""
    shapes = list(problem.shapes())
    if len(shapes) <= most:
        return shapes
    chosen = set(random.Random(0).sample(range(1, len(shapes) - 1), most - 2)) | {0, len(shapes) - 1}
    if any(isinstance(each, SizesRule) for each in problem.rules):
        # Shapes that differ from the largest in one dimension only: what grows with it shows.
        for dimension in problem.dimensions:
            small = next((each for each in dimension.sizes if each >= SMALL), dimension.sizes[0])
            chosen.add(shapes.index({**shapes[-1], dimension.name: small}))
    return [shapes[each] for each in sorted(chosen)]
