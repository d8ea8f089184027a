"""A wrong answer is put down to a mistake only when that mistake, and no other, explains all of it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from grader.problem import Arrays, Mistake
from grader.problems.tensor_parallel_mlp import PROBLEM
from grader.referee.compare import answers
from grader.referee.inputs import Plan, Regime, arrays, plan
from grader.referee.mistakes import recognise

SHAPE = {"B": 2, "D": 3, "H": 16, "O": 2}
INPUTS = arrays(PROBLEM, SHAPE, plan(PROBLEM, [SHAPE], 12, 0))


def returned(mistake: Mistake, inputs: Arrays = INPUTS) -> dict[str, np.ndarray]:
    """What a float32 program with this mistake returns."""
    outputs = {name: answer.value for name, answer in answers(PROBLEM, inputs).items()}
    wide = {name: array.astype(np.float64) for name, array in inputs.items()}
    return {name: array.astype(np.float32) for name, array in {**outputs, **mistake.outputs(wide)}.items()}


# (B, H) is never square: that hidden is transposed, its shape says first.
@pytest.mark.parametrize(
    "mistake", [each for each in PROBLEM.mistakes if each.id != "hidden-transposed"], ids=lambda each: each.id
)
def test_every_declared_mistake_is_recognised(mistake: Mistake) -> None:
    assert recognise(PROBLEM, INPUTS, returned(mistake)) is mistake


def test_right_outputs_hold_no_mistake() -> None:
    outputs = {name: answer.value.astype(np.float32) for name, answer in answers(PROBLEM, INPUTS).items()}
    assert recognise(PROBLEM, INPUTS, outputs) is None


def test_another_wrong_formula_is_no_known_mistake() -> None:
    outputs = returned(PROBLEM.mistakes[0])
    outputs["out"] = outputs["out"] * np.float32(1.5)
    assert recognise(PROBLEM, INPUTS, outputs) is None


def test_a_mistake_must_explain_every_example() -> None:
    outputs = returned(PROBLEM.mistakes[0])
    outputs["out"][0, 1, 0] += 1
    assert recognise(PROBLEM, INPUTS, outputs) is None


def test_a_mistake_must_leave_the_other_outputs_right() -> None:
    outputs = returned(PROBLEM.mistakes[0])
    outputs["hidden"][0, 0, 0] += 1
    assert recognise(PROBLEM, INPUTS, outputs) is None


def test_nan_is_no_known_mistake() -> None:
    outputs = returned(PROBLEM.mistakes[0])
    outputs["out"][0, 0, 0] = np.nan
    assert recognise(PROBLEM, INPUTS, outputs) is None


def test_two_explanations_are_none() -> None:
    twice = dataclasses.replace(PROBLEM.mistakes[0], id="the-same-again")
    problem = dataclasses.replace(PROBLEM, mistakes=(*PROBLEM.mistakes, twice))
    assert recognise(problem, INPUTS, returned(PROBLEM.mistakes[0])) is None


def test_a_mistake_that_makes_no_difference_explains_nothing() -> None:
    """With everything positive, relu on out as well changes nothing: some other error is at work."""
    inputs = arrays(PROBLEM, SHAPE, [Plan(0, (Regime.POSITIVE,) * 5, 0, 7)])
    outputs = {name: answer.value.astype(np.float32) for name, answer in answers(PROBLEM, inputs).items()}
    outputs["out"] *= np.float32(1 + 2e-6)  # a little too much for float32, within the slack of a mistake
    problem = dataclasses.replace(PROBLEM, mistakes=tuple(m for m in PROBLEM.mistakes if m.id == "relu-on-out"))
    assert recognise(problem, inputs, outputs) is None
