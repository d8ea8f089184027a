"""Does one known mistake explain wrong outputs?

In: a problem, inputs and the outputs that a program gave on them, each with a leading axis of lanes. Out: the
one mistake of the problem whose outputs these are, in every example; None when no mistake, or more than one,
explains them.
"""

from __future__ import annotations

import numpy as np

from grader.problem import Answer, Arrays, Mistake, Problem
from grader.referee.compare import answers, wrong_lanes

SLACK = 16.0
"""A mistake's terms may be larger than the right ones, and so may be its rounding errors: by this factor at most."""
RELATIVE_SLACK = 2.0**-20


def recognise(problem: Problem, inputs: Arrays, outputs: Arrays) -> Mistake | None:
    """The mistake that was made, or None when that cannot be told.

    A mistake explains the outputs when they are its outputs, within rounding errors, in every example; when it
    is wrong itself in each example in which they are; and when some element is further off than by rounding.
    ``inputs`` and ``outputs`` are (lanes, *shape), the outputs of their declared shapes.
    """
    wrong = wrong_lanes(problem, inputs, outputs)
    if not wrong.any():
        return None
    right = answers(problem, inputs)
    wide = {name: np.asarray(array).astype(np.float64) for name, array in inputs.items()}
    found = [each for each in problem.mistakes if _explains(each, wide, outputs, right, wrong)]
    return found[0] if len(found) == 1 else None


def _explains(mistake: Mistake, wide: Arrays, outputs: Arrays, right: dict[str, Answer], wrong: np.ndarray) -> bool:
    lanes = len(wrong)
    with np.errstate(all="ignore"):
        mistaken = mistake.outputs(wide)
    differs = np.zeros(lanes, np.bool_)
    told = False
    for name, answer in right.items():
        got = outputs[name].astype(np.float64)
        want = mistaken.get(name)
        if want is None:
            want, tolerance = answer.value, answer.bound
        elif want.shape != got.shape:
            return False
        else:
            tolerance = SLACK * answer.bound + RELATIVE_SLACK * np.abs(want)
            apart = np.abs(want - answer.value)
            differs |= (apart > answer.bound).reshape(lanes, -1).any(axis=1)
            told |= bool((apart > tolerance + answer.bound).any())
        if not (np.abs(got - want) <= tolerance).all():
            return False
    return told and bool(differs[wrong].all())
