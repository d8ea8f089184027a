"""What `grader verify` says of packages that are not whole: each check is seen to fail."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from grader.cases import load_cases
from grader.problem import Mistake
from grader.problems import load, problem_ids, statement
from grader.verify.examples import differences, examples
from grader.verify.known import known_submissions
from grader.verify.package import Places, covered, unread, written
from grader.verify.wrong import untold
from tests.known import FOLDER

PLACES = Places(cases=None, solutions=Path("solution"), submissions=FOLDER)


@pytest.mark.parametrize("identifier", problem_ids())
def test_what_can_be_told_of_every_package_without_grading(identifier: str) -> None:
    problem = load(identifier)
    assert [str(each) for each in written(problem, PLACES)] == []
    assert [str(each) for each in covered(problem, known_submissions(FOLDER, identifier))] == []


def test_values_go_on_over_lines_and_may_be_bools() -> None:
    text = (
        "## Example 1\n\n    x = [[1.0],\n         [2]]\n    m = [true, false]\n\nWords = 3.\n\n## Task\n\n    y = 1\n"
    )
    assert examples(text) == {"example_1": [("x", [[1.0], [2]]), ("m", [True, False])]}


def test_a_statement_that_contradicts_a_case() -> None:
    problem = load("pairwise_distances")
    cases = load_cases(problem)
    text = statement("pairwise_distances").replace("[[4.0, 5.0, 0.0],", "[[4.0, 5.0, 1.0],")
    assert [each.message for each in differences(problem, text, cases)] == [
        "example_1 gives another distances than example_1.json expects"
    ]
    missing = text.replace("## Example 2", "## Example 9")
    assert "there is no case example_9.json for its example" in [
        each.message for each in differences(problem, missing, cases)
    ]


def test_cases_that_tell_too_little() -> None:
    problem = load("pairwise_distances")
    cases = [each for each in load_cases(problem) if each.name == "example_2"]
    zero = [dataclasses.replace(each, inputs={"x": each.inputs["x"], "y": each.inputs["x"]}) for each in cases]
    assert "no case tells zeros from the right distances" in [each.message for each in untold(problem, zero)]


def test_a_mistake_that_no_case_shows() -> None:
    problem = load("pairwise_distances")
    right = Mistake("none", "This is right.", lambda inputs: {"distances": problem.oracle(inputs)["distances"].value})
    odd = dataclasses.replace(problem, mistakes=(right,))
    assert [str(each) for each in untold(odd, load_cases(problem))] == [
        "mistake none: no case tells it from the right answer"
    ]


def test_rules_that_nothing_breaks_alone() -> None:
    problem = load("pairwise_distances")
    known = tuple(each for each in known_submissions(FOLDER, problem.id) if each.rule != "differences")
    assert [each.message for each in covered(problem, known)] == ["none breaks differences and no other rule"]


def test_folders_that_nobody_reads(tmp_path: Path) -> None:
    problem = load("pairwise_distances")
    (tmp_path / problem.id / "acepted").mkdir(parents=True)
    places = dataclasses.replace(PLACES, submissions=tmp_path)
    [fault] = unread(problem, places)
    assert fault.where.endswith("acepted")
    assert "nobody reads it" in fault.message


@pytest.mark.parametrize("identifier", problem_ids())
def test_generated_inputs_are_allowed(identifier: str) -> None:
    from grader.referee.inputs import arrays, plan, valid

    problem = load(identifier)
    shape = list(problem.shapes())[-1]
    made = arrays(problem, shape, plan(problem, [shape], 60, 0))
    assert valid(problem, made).all()
    for each in problem.inputs:
        assert (made[each.name].astype(np.float64) >= each.least).all()
        assert (made[each.name].astype(np.float64) <= each.most).all()
        assert not each.choices or set(np.unique(made[each.name])) <= set(each.choices)
