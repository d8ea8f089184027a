"""Gradescope's results.json: documented fields only, the score of the verdict, hidden cases hidden."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from grader.report.gradescope import render
from grader.report.model import Report, Verdict
from tests.report.reports import ACCEPTED, BROKEN, SOURCE
from tests.report.test_learner import HIDING

VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
TEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "max_score": {"type": "number"},
        "status": {"enum": ["passed", "failed"]},
        "name": {"type": "string"},
        "name_format": FORMAT,
        "number": {"type": "string"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "tags": {"type": "array", "items": {"type": "string"}},
        "visibility": VISIBILITY,
        "extra_data": {"type": "object"},
    },
}
RESULTS = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "score": {"type": "number"},
        "execution_time": {"type": "number"},
        "output": {"type": "string"},
        "output_format": FORMAT,
        "test_output_format": FORMAT,
        "test_name_format": FORMAT,
        "visibility": VISIBILITY,
        "stdout_visibility": VISIBILITY,
        "extra_data": {"type": "object"},
        "tests": {"type": "array", "items": TEST},
        "leaderboard": {"type": "array"},
    },
}
"""Source: "Autograder Specifications", section "Output format",
https://gradescope-autograders.readthedocs.io/en/latest/specs/."""


def results(report: Report, source: bytes | None = SOURCE) -> Any:
    data = json.loads(render(report, source))
    jsonschema.validate(data, RESULTS)
    return data


@pytest.mark.parametrize("code", [each for each in Verdict if each is not Verdict.IE])
def test_the_verdict_makes_the_score(code: Verdict) -> None:
    assert results(msgspec.structs.replace(BROKEN, verdict=code))["score"] == (100 if code is Verdict.AC else 0)


def test_a_fault_of_the_judge_is_no_score_at_all() -> None:
    data = results(Report(verdict=Verdict.IE, problem=None, submission="mine.py"))
    assert not {"score", "tests"} & set(data)
    assert "This says nothing about the submission" in data["output"]


def test_a_test_for_each_rule_case_and_the_generated_inputs() -> None:
    data = results(BROKEN)
    assert [(each["name"], each.get("status")) for each in data["tests"]] == [
        ("Submission: is loaded, traced and run", "passed"),
        ("Rule: mesh", "passed"),
        ("Rule: hidden-split", "failed"),
        ("Rule: b2-once", None),
        ("Case: example_1", "failed"),
        ("Case: zeros", "passed"),
        ("Case: late", None),
        ("Generated: generated inputs", "failed"),
    ]
    split = data["tests"][2]["output"]
    assert split.startswith("✗ hidden-split · mine.py:3:40")
    assert "  → Return what the shard_map returns, as it is.\n" in split
    assert data["tests"][3]["output"] == "Not judged."
    assert "Smallest wrong input (B=1, D=1)" in data["tests"][7]["output"]


def test_students_see_no_hidden_case() -> None:
    data = results(HIDING)
    shown = {**data, "tests": [each for each in data["tests"] if each["visibility"] == "visible"]}
    assert "secret" not in json.dumps(shown)
    assert [each["name"] for each in data["tests"] if each["visibility"] == "hidden"] == [
        "Case: secret_corner",
        "Case: secret_ties",
        "Case: secret_zeros",
        "Case: secret_rest",
    ]


def test_accepted() -> None:
    data = results(ACCEPTED)
    assert {each["status"] for each in data["tests"]} == {"passed"}
    assert data["output"].startswith("Accepted (AC): mine.py\n")
